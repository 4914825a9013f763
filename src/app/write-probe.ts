import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { writeAndDelete } from '../storage/schema.ts';
import type { Service } from './service.ts';

const MAX_AGE_MS = 5_000;
const WAIT_MAX_MS = 2_000;
/**
 * On a full disk, something small still fits into the space that a refused sale gave back. So a SQLite file gets as much
 * as by a sale with a large webhook: 140 KB, in 0.5 ms. On PostgreSQL, each standby and archive would store that, too.
 */
const PROBE_BYTES = { sqlite: 48 * 1024, postgres: 0 };

/** What keeps writes from being stored, with what to do; null when they are stored. */
type Problem = string | null;

/**
 * Writes a row and deletes it again, in one unit of work, at most every five seconds and only on request. Answers
 * within two seconds; a slower write continues, and requests during that time are answered at once.
 */
export function createWriteProbe({ database }: Service): () => Promise<Problem> {
  let latest: { problem: Problem; endedAt: number } = { problem: null, endedAt: Number.NEGATIVE_INFINITY };
  let running: { startedAt: number; ended: Promise<Problem> } | null = null;

  const writeProbe = (tx: Transaction) => writeAndDelete(tx, PROBE_BYTES[database.engine]);

  async function probe(): Promise<Problem> {
    const problem = await database.write(writeProbe).then(() => null, problemOf);
    latest = { problem, endedAt: performance.now() };
    running = null;
    return problem;
  }

  return async () => {
    const now = performance.now();
    if (running === null && now - latest.endedAt < MAX_AGE_MS) return latest.problem;
    running ??= { startedAt: now, ended: probe() };
    const { promise: late, resolve } = Promise.withResolvers<Problem>();
    const message =
      'Writes do not complete: one has waited for more than 2 s. Find out what locks or slows the database';
    const timer = setTimeout(() => resolve(message), Math.max(0, running.startedAt + WAIT_MAX_MS - now));
    return Promise.race([running.ended, late]).finally(() => clearTimeout(timer));
  };
}

function problemOf(error: unknown): string {
  const cause = error instanceof ServiceError && error.cause instanceof Error ? error.cause.message : String(error);
  return `Writes fail: ${cause}. Free some space, or find out what locks the database, made it read-only or broke the disk`;
}
