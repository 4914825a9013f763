/** Entry point of a thread that runs audits one at a time, each on its own connections. */
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../storage/open.ts';
import { COMMAND_CACHES, PAYOUT_AUDIT_CACHES } from '../storage/sqlite/cache.ts';
import { runAuditTask } from './audits.ts';
import type { AuditThreadData, FromAuditThread, ToAuditThread } from './threads.ts';

const port = parentPort as MessagePort;
const { databaseUrl } = workerData as AuditThreadData;
const send = (message: FromAuditThread) => port.postMessage(message);

port.on('message', async (message: ToAuditThread) => {
  if (message === 'close') return port.close();
  const caches = message.audit === 'partners' ? PAYOUT_AUDIT_CACHES : COMMAND_CACHES;
  const database = await openDatabase(databaseUrl, { sqlite: { caches } });
  try {
    const findings = await runAuditTask({ database }, message, (progress) => send({ progress }));
    send({ findings });
  } finally {
    await database.close();
  }
});
flushCompileCache();
