import { availableParallelism } from 'node:os';
import type { Service } from '../../app/service.ts';
import { AUDITS, type Audit, type AuditFindings, hasSales, type OnAudit, runAudit } from '../../audit/audits.ts';
import { runAuditOnThread } from '../../audit/threads.ts';
import type { AccountId } from '../../core/ids.ts';
import { formatCount, type Progress } from '../terminal/progress.ts';

export interface AuditOptions {
  progress?: Progress;
  /** Where threads find a SQLite file; without it, everything runs on this one. */
  databaseUrl?: string;
  /** How many sales an account has at least if threads are worth their start. */
  threadsFrom?: number;
}

/** What each audit of an account found. */
export type Audited = Record<Audit, AuditFindings>;

/** Threads take half a second to start, and as long as one of them takes for some 100,000 sales. */
const THREADS_FROM = 100_000;

/**
 * Runs all audits of an account: on two threads at the same time if it is large and there are two cores, and one after the
 * other if not. PostgreSQL runs them at the same time by itself.
 */
export async function auditAccount(
  service: Service,
  { id: accountId, name }: { id: AccountId; name: string },
  { progress, databaseUrl, threadsFrom = THREADS_FROM }: AuditOptions,
): Promise<Audited> {
  const onProgress = progress && createLine(progress, name);
  const isLarge = databaseUrl !== undefined && (await hasSales(service, accountId, threadsFrom));
  const run = (audit: Audit): Promise<AuditFindings> => {
    const onAudit = onProgress?.(audit);
    return isLarge && service.database.engine === 'sqlite'
      ? runAuditOnThread({ databaseUrl, accountId, audit }, onAudit)
      : runAudit(service, accountId, audit, onAudit);
  };
  if (isLarge && availableParallelism() > 1) {
    // On two threads: the partners take as long as the rest, and a further thread some 50 MB.
    const salesAndResults = async () => ({ sales: await run('sales'), results: await run('results') });
    const [partners, others] = await Promise.all([run('partners'), salesAndResults()]);
    return { partners, ...others };
  }
  return { sales: await run('sales'), partners: await run('partners'), results: await run('results') };
}

/** One line for all audits that are running. */
function createLine(progress: Progress, name: string): (audit: Audit) => OnAudit {
  const texts = new Map<Audit, string>();
  return (audit) =>
    ({ checking, count, total }) => {
      texts.set(audit, `${formatCount(count)}${total === null ? '' : ` of ${formatCount(total)}`} ${checking}`);
      const shown = AUDITS.map((each) => texts.get(each)).filter((text) => text !== undefined);
      progress.show(`${name}: checked ${shown.join(', ')}`);
    };
}
