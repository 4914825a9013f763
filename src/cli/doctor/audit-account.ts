import { availableParallelism } from 'node:os';
import type { Service } from '../../app/service.ts';
import {
  AUDITS,
  type Audit,
  type AuditFindings,
  type AuditTask,
  type OnAudit,
  runAuditTask,
} from '../../audit/audits.ts';
import { divideSales, hasManySales } from '../../audit/sales-parts.ts';
import { AuditThread } from '../../audit/threads.ts';
import { formatCount, type Progress } from '../terminal/progress.ts';
import type { CheckedAccount } from './check.ts';

export interface AuditOptions {
  progress?: Progress;
  /** Lets several audits of a large account run at a time; those of a SQLite file run on threads that open it. */
  databaseUrl?: string;
  /** How many sales make an account large. */
  threadsFrom?: number;
}

/** What each audit of an account found. */
export type Audited = Record<Audit, AuditFindings>;

/** Threads take half a second to start, which is how long one of them takes for about 100,000 sales. */
const THREADS_FROM = 100_000;

/**
 * How many audits of a large account run at the same time. On SQLite, each further thread takes about 40 MB. PostgreSQL has
 * processes of its own: while it reads for two audits, this one assesses sales for the third.
 */
const LANES = { sqlite: 2, postgres: 3 };

type Run = (task: AuditTask, onAudit?: OnAudit) => Promise<AuditFindings>;

/**
 * Runs all audits of an account: several at the same time if it is large and there are two cores, otherwise one after the
 * other. Audits of a large account run on threads if the database is a SQLite file.
 */
export async function auditAccount(
  service: Service,
  { id: accountId, name }: CheckedAccount,
  { progress, databaseUrl, threadsFrom = THREADS_FROM }: AuditOptions,
): Promise<Audited> {
  const isLarge = databaseUrl !== undefined && (await hasManySales(service, accountId, threadsFrom));
  const dividing = divideSales(service, accountId);
  let sales = 0;
  // The parts of the sales last, so that the lanes end at nearly the same time. They are divided meanwhile.
  async function* createTasks(): AsyncGenerator<[place: number, task: AuditTask]> {
    yield [0, { accountId, audit: 'partners' }];
    yield [1, { accountId, audit: 'results' }];
    const parts = await dividing;
    sales = parts.reduce((sum, { count }) => sum + count, 0);
    for (const [index, part] of parts.entries()) yield [2 + index, { accountId, audit: 'sales', part }];
  }
  const onProgress = progress && createLine(progress, name, () => sales);
  const lanes = isLarge && availableParallelism() > 1 ? LANES[service.database.engine] : 1;
  const found: AuditFindings[] = [];
  const tasks = createTasks();
  const runOn = async (run: Run): Promise<void> => {
    // a generator that lanes share, so that each takes the next task
    for await (const [place, task] of tasks) found[place] = await run(task, onProgress?.(task));
  };
  const running =
    isLarge && service.database.engine === 'sqlite'
      ? [onThreads(databaseUrl, lanes, runOn)]
      : Array.from({ length: lanes }, () => runOn((task, onAudit) => runAuditTask(service, task, onAudit)));
  await Promise.all([dividing, ...running]);
  const [partners = NOTHING, results = NOTHING, ...ofParts] = found;
  return { sales: ofParts.reduce(together, NOTHING), partners, results };
}

async function onThreads(databaseUrl: string, lanes: number, runOn: (run: Run) => Promise<void>): Promise<void> {
  const threads = Array.from({ length: lanes }, () => new AuditThread(databaseUrl));
  try {
    await Promise.all(threads.map((thread) => runOn((task, onAudit) => thread.run(task, onAudit))));
  } finally {
    for (const thread of threads) thread.close();
  }
}

const NOTHING: AuditFindings = { count: 0, first: null };

function together(a: AuditFindings, b: AuditFindings): AuditFindings {
  return { count: a.count + b.count, first: a.first ?? b.first };
}

/** One line for all audits that are running, and for all parts of the sales together. */
function createLine(progress: Progress, name: string, countSales: () => number): (task: AuditTask) => OnAudit {
  const texts = new Map<Audit, string>();
  const salesOfParts = new Map<AuditTask, number>();
  return (task) =>
    ({ checking, count, total }) => {
      const isSales = task.audit === 'sales';
      if (isSales) salesOfParts.set(task, count);
      const checked = isSales ? [...salesOfParts.values()].reduce((sum, each) => sum + each) : count;
      const all = isSales ? countSales() : total;
      texts.set(task.audit, `${formatCount(checked)}${all === null ? '' : ` of ${formatCount(all)}`} ${checking}`);
      const shown = AUDITS.map((each) => texts.get(each)).filter((text) => text !== undefined);
      progress.show(`${name}: checked ${shown.join(', ')}`);
    };
}
