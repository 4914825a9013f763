/** `docs/performance.md` and its plots, from the results of a run. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseName, type Figure, figuresOf, isFast, READS } from './figures.ts';
import { plotsOf } from './plots.ts';
import { type GrowthResults, type ReadResult, type SizeResult, TARGETS } from './results.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const IMAGES = 'images/performance';
const MISSED_SHOWN = 5;

/** Replaces the page and its plots; returns the paths of the files. */
export function writeDocs(results: GrowthResults): string[] {
  const folder = join(DOCS, IMAGES);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
  const plots = plotsOf(results);
  for (const { file, svg } of plots) writeFileSync(join(folder, file), svg);
  const page = join(DOCS, 'performance.md');
  const images = plots.map(({ file, title }) => `![${title}](${IMAGES}/${file})`);
  writeFileSync(page, pageOf(results, images));
  return [page, ...plots.map(({ file }) => join(folder, file))];
}

function pageOf(results: GrowthResults, images: readonly string[]): string {
  const figures = figuresOf(results);
  const missed = figures.filter(({ isOk }) => isOk === false);
  return [
    '# Performance',
    '',
    '<!-- Written by `npm run bench -- growth --write-docs`; do not edit. -->',
    '',
    ...introduction(results),
    '',
    '## Missed targets',
    '',
    ...(missed.length === 0 ? ['None.'] : missedLines(missed)),
    '',
    '## Plots',
    '',
    images.join('\n\n'),
    '',
    ...results.sizes.flatMap((size) => sectionOf(size, figures)),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function introduction({ day, version, schemaVersion, machine, loadAverage }: GrowthResults): string[] {
  return [
    `Measured on ${day} with version ${version}, schema ${schemaVersion}, on ${machine.cores} cores of ${machine.processor}`,
    `with ${machine.memoryGigabytes} GB of memory and Node ${machine.node}. Server, load generator and, where it is used,`,
    `PostgreSQL share the machine. Its load average was ${loadAverage.before} before the run and ${loadAverage.after} after it.`,
    '',
    '* The databases hold two years of history: 1,000 partners with 2,000 links, of which the largest brings an eighth of all',
    '  customers (Zipf); a click, a lead and a Stripe customer id for each customer; 1.5 sales for each of the first million',
    '  customers and one for every five beyond, 80 % of them by webhook, 3 % refunded; monthly payouts of everything older',
    '  than 120 days. Ids of customers, invoices and payments are random, so that writes touch pages at random.',
    '* PostgreSQL has its default settings, but for `shared_buffers`, which is 1 GB.',
    '* The databases are filled with schema 9 and then upgraded like any database; `migration` is that upgrade.',
    '* On SQLite, one webhook for every hundred sales and one lead for every hundred customers come first: they split the pages',
    '  that the upgrade has filled to the last byte. In a database that has grown, most pages have room.',
    '* Writes run at 32 connections, in rounds that alternate with the smallest database; figures are medians of rounds.',
    '  A size from another run was compared with the smallest database of that run.',
    '  The pages that they touch are in memory: the whole file, or the pages of the 50,000 newest customers if it does not fit.',
    '* Pages per webhook (of 2 KB) are the bytes that the threads which answer read, minus the requests. What checkpoints',
    '  copy from the write-ahead log into the file, on a thread of their own, is counted separately. `from disk` is measured',
    '  after the file was dropped from memory, with webhooks for all customers.',
    '* Lists and reports run at one connection, up to 120 requests each; `page 100` is the hundredth page of 20, or the last.',
    '  The longest wait of a health check and of a click, sent every 10 ms beside them, shows whether the server answers',
    '  meanwhile; its stopwatch pauses while the machine stalls.',
    '',
    'Reproduce the measurements with:',
    '',
    '```sh',
    'npm run bench -- growth --sizes 10k,1m,10m --keep /data/bench --output sqlite.json',
    'npm run bench -- growth --sizes 10k,1m --engine postgres --output postgres.json',
    'npm run bench -- growth --write-docs --from sqlite.json --from postgres.json',
    '```',
    '',
    `Targets: writes at ${TARGETS.writeRatio} or more of the smallest database; at most ${TARGETS.pagesCold} pages for a webhook`,
    `from disk; p99 of lists and reports ${TARGETS.readP99Ms} ms, also beside 200 webhooks a second; no health check delayed by more than ${TARGETS.waitMs} ms;`,
    `start in ${TARGETS.startMs / 1000} s; ${TARGETS.residentMegabytes} MB of memory; ${TARGETS.doctorSeconds} s for the doctor of a million customers with nothing beside it.`,
  ];
}

/** A line per group with its first figures; the tables contain all of them. */
function missedLines(missed: readonly Figure[]): string[] {
  const groups = [...Map.groupBy(missed, ({ database, chapter }) => `${database}, ${chapter}`)];
  return groups.map(([group, figures]) => {
    const named = figures.slice(0, MISSED_SHOWN).map(({ label, value, target }) => `${label} (${value}, ${target})`);
    const others = figures.length - named.length;
    return `* **${group}**: ${named.join('; ')}${others === 0 ? '' : `; and ${others} more`}`;
  });
}

function sectionOf(size: SizeResult, figures: readonly Figure[]): string[] {
  const database = databaseName(size);
  const own = figures.filter((figure) => figure.database === database && figure.chapter !== READS);
  const chapters = [...Map.groupBy(own, ({ chapter }) => chapter)];
  return [
    `## ${database}`,
    '',
    '| | measured | target | |',
    '|---|---|---|---|',
    ...chapters.flatMap(([chapter, rows]) => [`| **${chapter}** | | | |`, ...rows.map(rowOf)]),
    '',
    ...readTable(size),
  ];
}

function readTable({ reads }: SizeResult): string[] {
  if (reads.length === 0) return [];
  return [
    '| lists and reports, ms | p50 | p99 | p99 beside writes | longest health check | longest click | |',
    '|---|---|---|---|---|---|---|',
    ...reads.map(readRowOf),
    '',
  ];
}

function rowOf({ label, value, target, isOk }: Figure): string {
  const verdict = isOk === null ? '' : verdictOf(isOk);
  return `| ${label} | ${value} | ${target} | ${verdict} |`;
}

function readRowOf(read: ReadResult): string {
  const { label, idle, busy, waits } = read;
  const times = [idle.p50Ms, idle.p99Ms, busy.p99Ms, waits.healthMs, waits.clickMs].map((ms) => ms.toFixed(1));
  return `| ${[label, ...times, verdictOf(isFast(read))].join(' | ')} |`;
}

function verdictOf(isOk: boolean): string {
  return isOk ? 'ok' : '**missed**';
}
