import { type LoadResult, load } from '../load.ts';
import { median } from '../median.ts';
import { dropFromMemory, ioOf, ioOfThreads } from './process-io.ts';
import {
  type CustomerPool,
  createRequests,
  everybody,
  isAcknowledged,
  WRITE_KINDS,
  type WriteKind,
} from './requests.ts';
import type { PageResult, SizeResult, WriteResult } from './results.ts';
import type { Serving } from './serving.ts';
import { warm } from './warm.ts';

const CONNECTIONS = 32;
/** Requests in a round, for the kind that is answered slowest; the other kinds send multiples of it. */
const SHARES: Record<WriteKind, number> = { webhook: 1, sale: 1, lead: 1, click: 4 };
const PAGE_BYTES = 2_048;
/** A full page of an index has some 40 rows, and a split shares the rows of three pages among four. */
const ROWS_PER_SPLIT = 100;
const SPLITTING_BATCH = 5_000;
/** As the report worker names its thread. */
const CHECKPOINT_THREAD = 'reports';
/** As libuv names those of its pool, which read the log ahead of the next commits. */
const POOL_THREAD = 'libuv-worker';

export interface WriteOptions {
  requests: number;
  rounds: number;
  say(line: string): void;
}

interface Contender {
  serving: Serving;
  next: (kind: WriteKind) => Buffer;
  results: Record<WriteKind, LoadResult[]>;
}

/**
 * Alternates between the two databases round by round, so that drifting machine speed does not distort the ratio.
 *
 * @param small the database that the ratio refers to; the same as `large` for the smallest itself
 */
export async function measureWrites(
  small: Serving,
  large: Serving,
  { requests, rounds, say }: WriteOptions,
): Promise<Record<WriteKind, WriteResult>> {
  const contenders = [await contend(small), ...(small === large ? [] : [await contend(large)])];
  for (let round = 0; round <= rounds; round++) {
    for (const kind of WRITE_KINDS) {
      for (const { serving, next, results } of contenders) {
        const batch = Array.from({ length: requests * SHARES[kind] }, () => next(kind));
        const result = await load(serving.port, batch, CONNECTIONS, isAcknowledged(kind));
        if (result.refused > 0) throw new Error(`${result.refused} of ${batch.length} requests were refused: ${kind}`);
        // the first round warms up
        if (round > 0) results[kind].push(result);
      }
    }
    say(`writes: round ${round}/${rounds}`);
  }
  const [first, last] = [contenders[0], contenders.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There is nothing to compare');
  return mapKinds((kind) => {
    const result = resultOf(first.results[kind], last.results[kind]);
    return first === last ? { ...result, ratio: null } : result;
  });
}

async function contend(serving: Serving): Promise<Contender> {
  const pool = await warm(serving.dataset);
  return { serving, next: createRequests(serving.dataset, pool), results: mapKinds(() => []) };
}

function resultOf(small: readonly LoadResult[], large: readonly LoadResult[]): WriteResult {
  const ratios = large.map(({ requestsPerSecond }, round) => {
    return requestsPerSecond / (small[round]?.requestsPerSecond ?? Number.NaN);
  });
  return {
    perSecond: median(large.map((round) => round.requestsPerSecond)),
    p50Ms: median(large.map((round) => round.p50Ms)),
    p99Ms: median(large.map((round) => round.p99Ms)),
    ratio: median(ratios),
  };
}

function mapKinds<T>(map: (kind: WriteKind) => T): Record<WriteKind, T> {
  return Object.fromEntries(WRITE_KINDS.map((kind) => [kind, map(kind)])) as Record<WriteKind, T>;
}

/**
 * An upgrade writes indexes without any room, so that the first webhooks and leads split full pages. In a database that
 * has grown, most pages have room; so enough of both come before anything is measured.
 */
export async function splitFullPages({ dataset, port }: Serving): Promise<void> {
  if (dataset.path === null) return;
  const next = createRequests(dataset, everybody(dataset));
  const send = async (kind: WriteKind, total: number) => {
    for (let sent = 0; sent < total; sent += SPLITTING_BATCH) {
      const batch = Array.from({ length: Math.min(SPLITTING_BATCH, total - sent) }, () => next(kind));
      await load(port, batch, CONNECTIONS);
    }
  };
  await send('webhook', Math.ceil(dataset.shape.sales / ROWS_PER_SPLIT));
  await send('lead', Math.ceil(dataset.customers / ROWS_PER_SPLIT));
}

/** Pages and bytes per webhook from all customers: with the file in memory, and right after its removal from memory. */
export async function measurePages(serving: Serving, webhooks: number): Promise<SizeResult['pages']> {
  const { path } = serving.dataset;
  if (path === null) return null;
  const pool = await warm(serving.dataset);
  const inMemory = await countPages(serving, pool, webhooks);
  const cold = dropFromMemory(path) ? await countPages(serving, everybody(serving.dataset), webhooks) : null;
  return { warm: inMemory, cold };
}

/**
 * The bytes that the process has read, minus those that it has received and those of the pool, come from the database file
 * and its log; SQLite reads these page by page. The thread of the reports reads for checkpoints only, while nobody asks
 * for a list.
 */
async function countPages({ dataset, port, pid }: Serving, pool: CustomerPool, webhooks: number): Promise<PageResult> {
  const next = createRequests(dataset, pool);
  const batch = Array.from({ length: webhooks }, () => next('webhook'));
  const received = batch.reduce((sum, request) => sum + request.length, 0);
  const before = ioOf(pid);
  const [copiedBefore, pooledBefore] = [CHECKPOINT_THREAD, POOL_THREAD].map((name) => ioOfThreads(pid, name).read);
  await load(port, batch, CONNECTIONS);
  const after = ioOf(pid);
  const copied = ioOfThreads(pid, CHECKPOINT_THREAD).read - (copiedBefore ?? 0);
  const pooled = ioOfThreads(pid, POOL_THREAD).read - (pooledBefore ?? 0);
  const each = (bytes: number) => bytes / webhooks;
  return {
    pagesRead: each(after.read - before.read - received - copied - pooled) / PAGE_BYTES,
    pagesCopied: each(copied) / PAGE_BYTES,
    kilobytesFromDisk: each(after.fromDisk - before.fromDisk) / 1024,
    kilobytesWritten: each(after.toDisk - before.toDisk) / 1024,
  };
}
