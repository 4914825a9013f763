/** `npm run bench -- growth` */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import packageJson from '../../../package.json' with { type: 'json' };
import { loadMigrations } from '../../../src/storage/migrate.ts';
import type { Engine } from '../../helpers/databases.ts';
import { fillSqliteFile } from './dataset.ts';
import { writeDocs } from './docs.ts';
import { databaseName, figureLines, figuresOf } from './figures.ts';
import { measureEngine } from './measure.ts';
import { type GrowthResults, PARTS, type Part } from './results.ts';
import { runShort } from './short.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

const HELP = `npm run bench -- growth [options]

Fills databases with two years of customers, clicks, leads, sales, refunds and payouts, upgrades them to the current
schema, and measures each with the real server: writes, every list with every filter, reports, payout runs, doctor,
backup, start and memory. Prints every figure with its target, ok or missed.

  --sizes <list>     customers of each database, the smallest first: 10k,100k,1m,10m   (default 10k,1m)
                     Writes of a larger database are compared with the first one's, round by round.
  --engine <name>    sqlite, postgres (an embedded one), or both   (default sqlite)
  --keep <folder>    keep the filled SQLite files in this folder and reuse them; otherwise they are deleted.
                     A million customers take two to four minutes to fill. Disk: 60 MB for 10k, 5.7 GB for 1m,
                     25 GB for 10m; a run needs as much again for the copy that it measures, and up to twice as much more
                     for its upgrade.
  --in-place         measure on the kept file itself, which is deleted afterwards, when there is no room for a copy
  --fill-only        only fill the files in --keep
  --only <parts>     measure only these: writes, pages, reads, operations
  --requests <n>     writes of each kind in a round   (default 3000)
  --rounds <n>       rounds of writes   (default 5)
  --budget <ms>      time for each call of the lists and reports   (default 3000)
  --json             print the results as JSON
  --output <file>    also write them to this file
  --write-docs       write docs/performance.md and its plots; with --from <file>, from the results in that file; with
                     several --from, of several runs on one machine, each size from the first that has it
  --short            two to three minutes for CI: 300,000 writes to a new database, beside lists, reports and health
                     checks. When one of those is too slow or the write rate falls, it is measured again on a new
                     database; exit code 1 when that happens three times.
  --writes <n>       writes of --short   (default 300000)

Examples:
  npm run bench -- growth --sizes 10k,100k
  npm run bench -- growth --sizes 10k,1m,10m --keep /data/bench --write-docs
  npm run bench -- growth --short`;

const say = (line: string) => process.stderr.write(`${line}\n`);

export async function runGrowth(parameters: string[]): Promise<void> {
  const { values: options } = parseArgs({
    args: parameters,
    options: {
      sizes: { type: 'string', default: '10k,1m' },
      engine: { type: 'string', default: 'sqlite' },
      keep: { type: 'string' },
      'in-place': { type: 'boolean', default: false },
      'fill-only': { type: 'boolean', default: false },
      only: { type: 'string', default: PARTS.join(',') },
      requests: { type: 'string', default: '3000' },
      rounds: { type: 'string', default: '5' },
      budget: { type: 'string', default: '3000' },
      json: { type: 'boolean', default: false },
      output: { type: 'string' },
      from: { type: 'string', multiple: true },
      'write-docs': { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      writes: { type: 'string', default: '300000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) return print(HELP);
  // so that temporary folders are removed and servers end after Ctrl-C, too
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  if (options.short) return runShort(Number(options.writes), print);
  const results = options.from === undefined ? await measured(options) : readResults(options.from);
  if (results === null) return;
  if (options.output !== undefined) writeFileSync(options.output, `${JSON.stringify(results, null, 1)}\n`);
  if (options['write-docs']) for (const path of writeDocs(results)) say(`written: ${path}`);
  print(options.json ? JSON.stringify(results) : figureLines(figuresOf(results)).join('\n'));
}

interface RunOptions {
  sizes: string;
  engine: string;
  keep?: string | undefined;
  'in-place': boolean;
  'fill-only': boolean;
  only: string;
  requests: string;
  rounds: string;
  budget: string;
}

/** Null when the files were only filled. */
async function measured(options: RunOptions): Promise<GrowthResults | null> {
  const folder = options.keep ?? createTemporaryFolder();
  const sizes = options.sizes.split(',').map(customersOf);
  const common = { folder, inPlace: options['in-place'], parts: partsOf(options.only), say };
  if (options['fill-only']) {
    for (const customers of sizes) say(await fillSqliteFile({ ...common, customers }));
    return null;
  }
  const results: GrowthResults = await describeRun();
  for (const engine of enginesOf(options.engine)) {
    const amounts = { requests: Number(options.requests), rounds: Number(options.rounds) };
    const budgetMs = Number(options.budget);
    results.sizes.push(...(await measureEngine(engine, sizes, { ...common, ...amounts, budgetMs })));
  }
  results.loadAverage.after = loadOf();
  return results;
}

async function describeRun(): Promise<GrowthResults> {
  const [processor] = cpus();
  return {
    day: new Date().toISOString().slice(0, 10),
    version: packageJson.version,
    schemaVersion: (await loadMigrations()).length,
    machine: {
      cores: cpus().length,
      processor: processor?.model.trim() ?? 'unknown',
      memoryGigabytes: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
    },
    loadAverage: { before: loadOf(), after: loadOf() },
    sizes: [],
  };
}

function loadOf(): number {
  return Number((loadavg()[0] ?? 0).toFixed(1));
}

/** `10k` → 10000 */
function customersOf(size: string): number {
  const [, digits, unit] = /^(\d+)([km]?)$/i.exec(size.trim()) ?? [];
  const customers = Number(digits) * ({ k: 1_000, m: 1_000_000 }[unit?.toLowerCase() ?? ''] ?? 1);
  if (digits !== undefined && customers >= 1_000) return customers;
  throw new Error(`--sizes: ${size} is not a number of customers such as 10k or 1m, at least 1k`);
}

function partsOf(list: string): Set<Part> {
  const named = list.split(',').map((name) => name.trim());
  const parts = PARTS.filter((part) => named.includes(part));
  if (parts.length === named.length) return new Set(parts);
  throw new Error(`--only: ${list} names something other than ${PARTS.join(', ')}`);
}

function enginesOf(name: string): Engine[] {
  if (name === 'both') return ['sqlite', 'postgres'];
  if (name === 'sqlite' || name === 'postgres') return [name];
  throw new Error(`--engine: ${name} is not sqlite, postgres or both`);
}

/** The results of one or more runs; each size is compared with the smallest database of its own run. */
function readResults(paths: readonly string[]): GrowthResults {
  const runs = paths.map((path): GrowthResults => JSON.parse(readFileSync(path, 'utf8')));
  const [first] = runs;
  if (first === undefined) throw new Error('--from needs a file');
  const bySize = Map.groupBy(
    runs.flatMap(({ sizes }) => sizes),
    databaseName,
  );
  return { ...first, sizes: [...bySize.values()].flatMap(([size]) => size ?? []) };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
