/**
 * The contest: the same signed Stripe deliveries of about 2 KB, with the same durability (an fsync before each answer),
 * against *naive*, *ours* and *floor*. Each is its own process; they take turns.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { invoiceOf, invoicePaid, signedRequest } from './deliveries.ts';
import { addTo, createTally, differencesOf, type Tally } from './exactly-once.ts';
import { type LoadResult, load, WARM_UP_REQUESTS } from './load.ts';
import { median } from './median.ts';
import { prepareOurs, serverEnvironment } from './prepare.ts';
import { startRefbridge, startServerProcess } from './server-process.ts';

/** Target ratios. */
export const CONTEST_TARGETS = { manyNaive: 3, manyFloor: 0.75, oneNaive: 0.9 };

/** At one connection every request waits for its own fsync. */
const SINGLE_SHARE = 0.25;

export type Name = 'naive' | 'ours' | 'floor';
export const NAMES: readonly Name[] = ['naive', 'ours', 'floor'];
const STORED = 'SELECT invoice_id AS invoice FROM sales';

export interface ContestResult {
  results: Record<Name, Summary>;
  ratios: typeof CONTEST_TARGETS;
  /** Where the acknowledged and the stored deliveries differ, or too many were refused. */
  differences: string[];
}

export interface Summary {
  manyPerSecond: number;
  manyP50Ms: number;
  manyP99Ms: number;
  onePerSecond: number;
  residentMegabytes: number;
  acknowledged: number;
  refused: number;
  stored: number;
  differences: string[];
}

interface Contender {
  name: Name;
  port: number;
  path: string;
  databasePath: string;
  process: ChildProcess;
  many: LoadResult[];
  one: LoadResult[];
  tally: Tally;
}

/**
 * @param requests to each contender at 32 connections in each round; a quarter of that at one connection
 */
export async function holdContest(
  requests: number,
  rounds: number,
  say: (line: string) => void,
): Promise<ContestResult> {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-bench-'));
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const measure = createMeasure(secret, say);
  const measureBoth = async (contender: Contender) => {
    const many = await measure(contender, requests, 32);
    const one = await measure(contender, Math.ceil(requests * SINGLE_SHARE), 1);
    return { many, one };
  };
  const contenders: Contender[] = [];
  try {
    for (const name of NAMES) contenders.push(await start(name, folder, secret));
    say(`warming up: ${WARM_UP_REQUESTS} requests each`);
    for (let sent = 0; sent < WARM_UP_REQUESTS; sent += requests) {
      for (const contender of contenders) await measureBoth(contender);
    }
    for (let round = 1; round <= rounds; round++) {
      for (const contender of contenders) {
        const { many, one } = await measureBoth(contender);
        contender.many.push(many);
        contender.one.push(one);
        say(`round ${round}/${rounds} ${contender.name}: ${Math.round(many.requestsPerSecond)} requests/s`);
      }
    }
    return resultOf(contenders);
  } finally {
    for (const contender of contenders) contender.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(name: Name, folder: string, secret: string): Promise<Contender> {
  const databasePath = join(folder, name === 'ours' ? 'refbridge.db' : `${name}.db`);
  const path = name === 'ours' ? await prepareOurs(folder, secret) : '/webhooks';
  const server = await (name === 'ours'
    ? startOurs(folder)
    : startServerProcess(name, { DATABASE: databasePath, SECRET: secret }));
  return { name, ...server, path, databasePath, many: [], one: [], tally: createTally() };
}

/** Measures the second start, which is typical: the cache has the compiled code. */
async function startOurs(folder: string) {
  const first = await startRefbridge(serverEnvironment(folder));
  first.process.kill('SIGTERM');
  await once(first.process, 'exit');
  return startRefbridge(serverEnvironment(folder));
}

function createMeasure(secret: string, say: (line: string) => void) {
  const run = randomBytes(3).toString('hex');
  let made = 0;
  return async (contender: Contender, count: number, connections: number): Promise<LoadResult> => {
    const numbers = Array.from({ length: count }, () => made++);
    const requests = numbers.map((n) => signedRequest(invoicePaid(n, run), contender.path, secret));
    const result = await load(contender.port, requests, connections);
    const invoices = numbers.map((n) => invoiceOf(n, run));
    addTo(contender.tally, invoices, result.refusedAt);
    if (result.refused > 0) say(`${contender.name} refused ${result.refused} of ${count} deliveries`);
    return result;
  };
}

function resultOf(contenders: readonly Contender[]): ContestResult {
  const [naive, ours, floor] = contenders as [Contender, Contender, Contender];
  const results = { naive: summaryOf(naive), ours: summaryOf(ours), floor: summaryOf(floor) };
  return {
    results,
    ratios: {
      manyNaive: ratio(ours, naive, 'many'),
      manyFloor: ratio(ours, floor, 'many'),
      oneNaive: ratio(ours, naive, 'one'),
    },
    differences: NAMES.flatMap((name) => results[name].differences.map((difference) => `${name}: ${difference}`)),
  };
}

function summaryOf(contender: Contender): Summary {
  const database = new Database(contender.databasePath, { readonly: true });
  const rows = database.prepare<[], { invoice: string }>(STORED).all();
  database.close();
  return {
    manyPerSecond: Math.round(median(contender.many.map((round) => round.requestsPerSecond))),
    manyP50Ms: median(contender.many.map((round) => round.p50Ms)),
    manyP99Ms: median(contender.many.map((round) => round.p99Ms)),
    onePerSecond: Math.round(median(contender.one.map((round) => round.requestsPerSecond))),
    residentMegabytes: Math.round(residentMegabytes(contender)),
    acknowledged: contender.tally.acknowledged.length,
    refused: contender.tally.refused.length,
    stored: rows.length,
    differences: differencesOf(
      contender.tally,
      rows.map(({ invoice }) => invoice),
    ),
  };
}

function residentMegabytes(contender: Contender): number {
  const status = readFileSync(`/proc/${contender.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Ratios within the same round, so that drifting machine speed does not distort them; the median over all rounds. */
function ratio(a: Contender, b: Contender, connections: 'many' | 'one'): number {
  const ratios = a[connections].map((result, round) => {
    return result.requestsPerSecond / (b[connections][round]?.requestsPerSecond ?? Number.NaN);
  });
  return median(ratios);
}
