import { Worker } from 'node:worker_threads';
import type { AccountId } from '../core/ids.ts';
import type { Audit, AuditFindings, OnAudit } from './audits.ts';

export interface AuditThreadData {
  databaseUrl: string;
  accountId: AccountId;
  audit: Audit;
}

export type FromAuditThread = { progress: Parameters<OnAudit>[0] } | { findings: AuditFindings };

/** Like this file, TypeScript in the repository and JavaScript after a build. */
const ENTRY = new URL(`./entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url).href;
/** Each thread has its own compile cache, which must be enabled before its first module loads. */
const LAUNCH = `process.getBuiltinModule('node:module').enableCompileCache(); import(${JSON.stringify(ENTRY)})`;
/** Rows live no longer than their page; sums of a large account live until all rows are read. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 };

/**
 * Runs an audit on a thread of its own, for a database that is a file.
 *
 * @throws Error what ended the audit or its thread
 */
export function runAuditOnThread(data: AuditThreadData, onProgress?: OnAudit): Promise<AuditFindings> {
  const { promise, resolve, reject } = Promise.withResolvers<AuditFindings>();
  const worker = new Worker(LAUNCH, {
    eval: true,
    name: `audit of ${data.audit}`,
    workerData: data,
    resourceLimits: HEAP_LIMITS,
  });
  worker.on('message', (message: FromAuditThread) => {
    if ('findings' in message) resolve(message.findings);
    else onProgress?.(message.progress);
  });
  worker.on('error', reject);
  worker.on('exit', (code) => reject(new Error(`The thread of an audit ended with code ${code}`)));
  return promise;
}
