import type { Engine } from '../../helpers/databases.ts';
import { startPostgres } from '../../helpers/embedded-postgres.ts';
import { type Dataset, openPostgresDataset, openSqliteDataset, sizeName } from './dataset.ts';
import { measureOperations } from './measure-operations.ts';
import { measureReads } from './measure-reads.ts';
import { measurePages, measureWrites, splitFullPages } from './measure-writes.ts';
import { residentMegabytesOf } from './process-io.ts';
import type { Part, SizeResult } from './results.ts';
import { type Serving, serve } from './serving.ts';

export interface MeasureOptions {
  folder: string;
  inPlace: boolean;
  requests: number;
  rounds: number;
  budgetMs: number;
  parts: ReadonlySet<Part>;
  say(line: string): void;
}

/** The maximum number of requests for each list and report, if they are fast. */
const READS_MAX = 120;
const PAGE_WEBHOOKS = 2_000;
/** As `docs/operations.md` advises: the default of 128 MB is for machines of any size. */
const POSTGRES_SETTINGS = ['shared_buffers=1GB'];

/**
 * Measures all sizes of one engine; the first size's server runs until the end, because the others are compared with
 * it.
 */
export async function measureEngine(
  engine: Engine,
  sizes: readonly number[],
  options: MeasureOptions,
): Promise<SizeResult[]> {
  const server = engine === 'postgres' ? await startPostgres(POSTGRES_SETTINGS) : null;
  const releases: (() => Promise<void>)[] = server === null ? [] : [server.stop];
  const open = (customers: number): Promise<Dataset> =>
    server === null
      ? openSqliteDataset({ ...options, customers })
      : openPostgresDataset({ ...options, customers }, server.url);
  const results: SizeResult[] = [];
  let smallest: Serving | null = null;
  try {
    for (const customers of sizes) {
      const dataset = await open(customers);
      releases.push(dataset.remove);
      const serving = await serve(dataset);
      releases.push(serving.stop);
      smallest ??= serving;
      results.push(await measureSize(smallest, serving, options));
      if (serving === smallest) continue;
      // frees space for the next size
      await releases.pop()?.();
      await releases.pop()?.();
    }
    return results;
  } finally {
    for (const release of releases.toReversed()) await release();
  }
}

async function measureSize(smallest: Serving, serving: Serving, options: MeasureOptions): Promise<SizeResult> {
  const { engine, customers, migration } = serving.dataset;
  const say = (line: string) => options.say(`${engine} ${sizeName(customers)}: ${line}`);
  say(`ready after ${Math.round(serving.start.readyMs)} ms`);
  const { requests, rounds, budgetMs, parts } = options;
  if (parts.has('writes') || parts.has('pages')) await splitFullPages(serving);
  return {
    engine,
    customers,
    migration,
    start: serving.start,
    writes: parts.has('writes') ? await measureWrites(smallest, serving, { requests, rounds, say }) : null,
    pages: parts.has('pages') ? await measurePages(serving, Math.min(requests, PAGE_WEBHOOKS)) : null,
    reads: parts.has('reads') ? await measureReads(serving, { requests: READS_MAX, budgetMs, say }) : [],
    operations: parts.has('operations') ? await measureOperations(serving, say) : [],
    end: {
      residentMegabytes: residentMegabytesOf(serving.pid),
      highestMegabytes: residentMegabytesOf(serving.pid, 'highest'),
    },
  };
}
