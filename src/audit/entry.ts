/** Entry point of a thread that runs one audit of an account, on connections of its own. */
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../storage/open.ts';
import { COMMAND_CACHES, PAYOUT_AUDIT_CACHES } from '../storage/sqlite/cache.ts';
import { runAudit } from './audits.ts';
import type { AuditThreadData, FromAuditThread } from './threads.ts';

const port = parentPort as MessagePort;
const { databaseUrl, accountId, audit } = workerData as AuditThreadData;
const send = (message: FromAuditThread) => port.postMessage(message);

const caches = audit === 'partners' ? PAYOUT_AUDIT_CACHES : COMMAND_CACHES;
const database = await openDatabase(databaseUrl, { sqlite: { caches } });
flushCompileCache();
try {
  const findings = await runAudit({ database }, accountId, audit, (progress) => send({ progress }));
  send({ findings });
} finally {
  await database.close();
}
