/**
 * `npm run bench`: the same signed Stripe deliveries of about 2 KB, with the same durability (an fsync before each
 * answer), against *naive*, *ours* and *floor*, each a process of its own, taking turns. Prints ratios, and counts
 * afterwards that what was acknowledged is stored, once. Before that, how fast each adapter and the partner links are.
 * Options: --requests 6000 --rounds 3 --json
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { ADAPTER_TARGETS, adapterLines, benchAdapters } from './adapters.ts';
import { invoicePaid, signedRequest } from './deliveries.ts';
import { type LoadResult, load } from './load.ts';
import { prepareOurs, serverEnvironment } from './prepare.ts';
import { benchRedirects, isExact, REDIRECT_TARGETS, redirectLines } from './redirects.ts';
import { startRefbridge, startServerProcess } from './server-process.ts';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '6000' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const REQUESTS = Number(options.requests);
const ROUNDS = Number(options.rounds);
/** At one connection every request waits for its own fsync. */
const SINGLE_SHARE = 0.25;
/** So many do not count: a server that runs for months has its code compiled. */
const WARM_UP_REQUESTS = 15_000;
const TARGETS = { manyNaive: 3, manyFloor: 0.75, oneNaive: 0.9 };

type Name = 'naive' | 'ours' | 'floor';
const NAMES: readonly Name[] = ['naive', 'ours', 'floor'];
const COUNT = 'SELECT COUNT(*) AS rows, COUNT(DISTINCT invoice_id) AS distinct_rows FROM sales';

interface Contender {
  name: Name;
  port: number;
  path: string;
  databasePath: string;
  process: ChildProcess;
  many: LoadResult[];
  one: LoadResult[];
  acknowledged: number;
}

const say = (line: string) => process.stderr.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'refbridge-bench-'));
const secret = `whsec_${randomBytes(24).toString('hex')}`;

async function start(name: Name): Promise<Contender> {
  const databasePath = join(folder, name === 'ours' ? 'refbridge.db' : `${name}.db`);
  const path = name === 'ours' ? await prepareOurs(folder, secret) : '/webhooks';
  const server = await (name === 'ours'
    ? startOurs()
    : startServerProcess(name, { DATABASE: databasePath, SECRET: secret }));
  return { name, ...server, path, databasePath, many: [], one: [], acknowledged: 0 };
}

/** The second start, which is what every one but a machine's first is like: compiled code is in its cache. */
async function startOurs() {
  const first = await startRefbridge(serverEnvironment(folder));
  first.process.kill('SIGTERM');
  await once(first.process, 'exit');
  return startRefbridge(serverEnvironment(folder));
}

let made = 0;
const run = randomBytes(3).toString('hex');

async function measure(contender: Contender, count: number, connections: number): Promise<LoadResult> {
  const requests = Array.from({ length: count }, () => signedRequest(invoicePaid(made++, run), contender.path, secret));
  const result = await load(contender.port, requests, connections);
  contender.acknowledged += result.acknowledged;
  if (result.refused > 0) throw new Error(`${contender.name} refused ${result.refused} of ${count} deliveries`);
  return result;
}

async function measureBoth(contender: Contender) {
  const many = await measure(contender, REQUESTS, 32);
  const one = await measure(contender, Math.ceil(REQUESTS * SINGLE_SHARE), 1);
  return { many, one };
}

function residentMegabytes(contender: Contender): number {
  const status = readFileSync(`/proc/${contender.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

function median(results: readonly LoadResult[], figure: keyof LoadResult): number {
  const sorted = results.map((result) => result[figure]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function summary(contender: Contender) {
  const database = new Database(contender.databasePath, { readonly: true });
  const stored = database.prepare<[], { rows: number; distinct_rows: number }>(COUNT).get();
  database.close();
  return {
    manyPerSecond: Math.round(median(contender.many, 'requestsPerSecond')),
    manyP50Ms: median(contender.many, 'p50Ms'),
    manyP99Ms: median(contender.many, 'p99Ms'),
    onePerSecond: Math.round(median(contender.one, 'requestsPerSecond')),
    residentMegabytes: Math.round(residentMegabytes(contender)),
    acknowledged: contender.acknowledged,
    stored: stored?.rows ?? 0,
    distinct: stored?.distinct_rows ?? 0,
  };
}

/** Ratios of the same round, so that a machine whose speed drifts compares like with like; the median of rounds. */
function ratio(a: Contender, b: Contender, connections: 'many' | 'one'): number {
  const ratios = a[connections].map((result, round) => {
    return result.requestsPerSecond / (b[connections][round]?.requestsPerSecond ?? Number.NaN);
  });
  return ratios.sort((x, y) => x - y)[Math.floor(ratios.length / 2)] ?? 0;
}

say('adapters: verify, read and interpret');
const adapters = await benchAdapters();
say('partner links');
const redirects = await benchRedirects(2 * REQUESTS, ROUNDS);
const contenders = { naive: await start('naive'), ours: await start('ours'), floor: await start('floor') };
try {
  say(`warming up: ${WARM_UP_REQUESTS} requests each`);
  for (let sent = 0; sent < WARM_UP_REQUESTS; sent += REQUESTS) {
    for (const name of NAMES) await measureBoth(contenders[name]);
  }
  for (let round = 1; round <= ROUNDS; round++) {
    for (const name of NAMES) {
      const contender = contenders[name];
      const { many, one } = await measureBoth(contender);
      contender.many.push(many);
      contender.one.push(one);
      say(`round ${round}/${ROUNDS} ${name}: ${Math.round(many.requestsPerSecond)} requests/s`);
    }
  }
  const results = {
    naive: summary(contenders.naive),
    ours: summary(contenders.ours),
    floor: summary(contenders.floor),
  };
  const ratios = {
    manyNaive: ratio(contenders.ours, contenders.naive, 'many'),
    manyFloor: ratio(contenders.ours, contenders.floor, 'many'),
    oneNaive: ratio(contenders.ours, contenders.naive, 'one'),
  };
  const exact =
    isExact(redirects) &&
    NAMES.every((name) => {
      const { acknowledged, stored, distinct } = results[name];
      return acknowledged === stored && stored === distinct;
    });
  const targets = { ...TARGETS, adapters: ADAPTER_TARGETS, redirects: REDIRECT_TARGETS };
  if (options.json)
    process.stdout.write(`${JSON.stringify({ results, ratios, adapters, redirects, targets, exact })}\n`);
  else print(results, ratios, exact);
  if (!exact) process.exitCode = 1;
} finally {
  for (const name of NAMES) contenders[name].process.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function print(results: Record<Name, ReturnType<typeof summary>>, ratios: typeof TARGETS, exact: boolean): void {
  const line = (cells: readonly (string | number)[]) => cells.map((cell) => String(cell).padStart(12)).join('');
  const rows = NAMES.map((name) => {
    const {
      manyPerSecond,
      manyP50Ms,
      manyP99Ms,
      onePerSecond,
      residentMegabytes: memory,
      acknowledged,
      stored,
    } = results[name];
    return line([
      name,
      manyPerSecond,
      manyP50Ms.toFixed(1),
      manyP99Ms.toFixed(1),
      onePerSecond,
      memory,
      acknowledged,
      stored,
    ]);
  });
  const judged = (value: number, target: number) => `${value.toFixed(2)} (to reach: ${target})`;
  process.stdout.write(
    `${[
      line(['', '32 conn. /s', 'p50 ms', 'p99 ms', '1 conn. /s', 'RSS MB', 'answered', 'stored']),
      ...rows,
      '',
      `ours ÷ naive at 32 connections: ${judged(ratios.manyNaive, TARGETS.manyNaive)}`,
      `ours ÷ floor at 32 connections: ${judged(ratios.manyFloor, TARGETS.manyFloor)}`,
      `ours ÷ naive at one connection:  ${judged(ratios.oneNaive, TARGETS.oneNaive)}`,
      ...redirectLines(redirects),
      ...adapterLines(adapters),
      exact ? 'every acknowledged delivery and click is stored, once' : 'ACKNOWLEDGED AND STORED DIFFER',
    ].join('\n')}\n`,
  );
}
