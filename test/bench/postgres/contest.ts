import { once } from 'node:events';
import { executeOnServer } from '../../helpers/postgres-server.ts';
import { addTo, createTally, differencesOf, type Tally } from '../exactly-once.ts';
import { type LoadResult, load } from '../load.ts';
import { median } from '../median.ts';
import type { ServerProcess } from '../server-process.ts';
import { type Contender, type Name, prepareContender } from './contenders.ts';
import { type CpuMeter, type CpuTime, createCpuMeter } from './cpu-time.ts';
import { idOf, requestOf, SUBJECTS, type Subject } from './requests.ts';

export const NAMES: readonly Name[] = ['hand-written', 'ours', 'floor'];
const MANY = 32;

export interface Figures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time per request, which a busy machine distorts less than the other figures; null where it cannot be read. */
  cpu: CpuTime | null;
}

type MeasuredResult = Omit<LoadResult, 'refusedAt'> & Pick<Figures, 'cpu'>;

/** The medians over all rounds, and the ratio to the first contender's figure in the same round, also as a median. */
export interface Standing extends Figures {
  ratio: number;
}

export interface SubjectResult {
  subject: Subject;
  many: Record<Name, Standing>;
  one: Record<Name, Standing>;
  /** Two of our processes on one database at 32 connections; the ratio is to one process. */
  two: Standing;
  /** Three processes. */
  three: Standing;
}

export interface PostgresResult {
  subjects: SubjectResult[];
  refused: Record<Name, number>;
  /** Where the acknowledged and the stored requests differ, or too many were refused. */
  differences: string[];
}

export interface ContestSize {
  /** Requests in each round at 32 connections. */
  requests: number;
  /** Requests at one connection. */
  requestsOfOne: number;
  rounds: number;
  /** Requests of each subject to each process before the rounds, as `WARM_UP_REQUESTS`. */
  warmUp: number;
}

interface Running extends Contender {
  servers: ServerProcess[];
  tallies: Record<Subject, Tally>;
  meter: CpuMeter;
  say(line: string): void;
}

/** Prepares and starts the contenders on this PostgreSQL server, and lets them take turns. */
export async function holdPostgresContest(
  serverUrl: string,
  size: ContestSize,
  say: (line: string) => void,
): Promise<PostgresResult> {
  const contenders: Running[] = [];
  const meter = await createCpuMeter(serverUrl);
  try {
    for (const name of NAMES) {
      const contender = await prepareContender(name, serverUrl);
      const servers = [await contender.start()];
      const tallies = { sale: createTally(), lead: createTally(), webhook: createTally() };
      contenders.push({ ...contender, servers, tallies, meter, say });
    }
    const subjects: SubjectResult[] = [];
    for (const subject of SUBJECTS) subjects.push(await measureSubject(contenders, subject, size, say));
    const differences: string[] = [];
    for (const contender of contenders) differences.push(...(await differencesAt(contender)));
    const refused = contenders.map(({ name, tallies }) => [name, refusedOf(tallies)]);
    return { subjects, refused: Object.fromEntries(refused) as PostgresResult['refused'], differences };
  } finally {
    for (const { servers } of contenders) for (const { process } of servers) process.kill('SIGKILL');
  }
}

async function measureSubject(
  contenders: readonly Running[],
  subject: Subject,
  size: ContestSize,
  say: (line: string) => void,
): Promise<SubjectResult> {
  for (const contender of contenders) {
    await measure(contender, subject, size.warmUp, MANY);
    // as autovacuum does within a minute; until then, connections keep the plans that they made for empty tables
    await executeOnServer(contender.databaseUrl, 'ANALYZE');
  }
  const rounds: { many: MeasuredResult[]; one: MeasuredResult[] }[] = [];
  for (let round = 0; round < size.rounds; round++) {
    const many: MeasuredResult[] = [];
    const one: MeasuredResult[] = [];
    for (const contender of contenders) many.push(await measure(contender, subject, size.requests, MANY));
    for (const contender of contenders) one.push(await measure(contender, subject, size.requestsOfOne, 1));
    rounds.push({ many, one });
    const rates = many.map(({ requestsPerSecond }) => Math.round(requestsPerSecond)).join(' ');
    say(`${subject} ${round + 1}/${size.rounds}: ${rates}`);
  }
  const ours = contenders.find(({ name }) => name === 'ours') as Running;
  const several = await measureSeveral(ours, subject, size, say);
  const standings = (kind: 'many' | 'one') =>
    Object.fromEntries(
      contenders.map(({ name }, index) => [
        name,
        standingOf(
          rounds.map((round) => round[kind][index] as MeasuredResult),
          rounds.map((round) => round[kind][0] as MeasuredResult),
        ),
      ]),
    ) as Record<Name, Standing>;
  return { subject, many: standings('many'), one: standings('one'), ...several };
}

let made = 0;
const run = Date.now().toString(36);

async function measure(
  contender: Running,
  subject: Subject,
  count: number,
  connections: number,
): Promise<MeasuredResult> {
  const { servers, target, meter, tallies, say } = contender;
  const pids = servers.map(({ process }) => process.pid ?? 0);
  const cpuBefore = meter(pids);
  const share = Math.ceil(count / servers.length);
  const results = await Promise.all(
    servers.map(async ({ port }) => {
      const numbers = Array.from({ length: share }, () => made++);
      const requests = numbers.map((n) => requestOf(subject, n, run, target));
      const result = await load(port, requests, Math.ceil(connections / servers.length));
      const ids = numbers.map((n) => idOf(subject, n, run));
      addTo(tallies[subject], ids, result.refusedAt);
      return result;
    }),
  );
  const result = together(results);
  const cpu = cpuOfEach(cpuBefore, meter(pids), share * servers.length);
  if (result.refused > 0) say(`${contender.name} refused ${result.refused} of ${count} (${subject})`);
  return { ...result, cpu };
}

function cpuOfEach(before: CpuTime | null, after: CpuTime | null, count: number): CpuTime | null {
  if (before === null || after === null) return null;
  return { server: (after.server - before.server) / count, postgres: (after.postgres - before.postgres) / count };
}

/** Measures one, two and three of our processes on one database, in turns. */
async function measureSeveral(
  ours: Running,
  subject: Subject,
  { requests, rounds, warmUp }: ContestSize,
  say: (line: string) => void,
): Promise<Pick<SubjectResult, 'two' | 'three'>> {
  const [first] = ours.servers as [ServerProcess];
  const others = await Promise.all([ours.start(), ours.start()]);
  const results: MeasuredResult[][] = [];
  try {
    await measure({ ...ours, servers: others }, subject, warmUp * others.length, MANY);
    for (let round = 0; round < rounds; round++) {
      const result: MeasuredResult[] = [];
      for (const count of [0, 1, 2]) {
        const servers = [first, ...others.slice(0, count)];
        result.push(await measure({ ...ours, servers }, subject, requests, MANY));
      }
      results.push(result);
      const rates = result.map(({ requestsPerSecond }) => Math.round(requestsPerSecond)).join(' ');
      say(`${subject} ${round + 1}/${rounds}, with one, two and three processes: ${rates}`);
    }
  } finally {
    for (const { process } of others) {
      process.kill('SIGTERM');
      await once(process, 'exit');
    }
  }
  const ofCount = (index: number) => results.map((result) => result[index] as MeasuredResult);
  return { two: standingOf(ofCount(1), ofCount(0)), three: standingOf(ofCount(2), ofCount(0)) };
}

function together(results: readonly LoadResult[]): Omit<LoadResult, 'refusedAt'> {
  const sum = (of: (result: LoadResult) => number) => results.reduce((total, result) => total + of(result), 0);
  return {
    requestsPerSecond: sum(({ requestsPerSecond }) => requestsPerSecond),
    p50Ms: sum(({ p50Ms }) => p50Ms) / results.length,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    refused: sum(({ refused }) => refused),
  };
}

function standingOf(results: readonly MeasuredResult[], against: readonly MeasuredResult[]): Standing {
  const of = (figure: (result: MeasuredResult) => number) => median(results.map(figure));
  return {
    perSecond: Math.round(of(({ requestsPerSecond }) => requestsPerSecond)),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    cpu: results.some(({ cpu }) => cpu === null)
      ? null
      : { server: of(({ cpu }) => cpu?.server ?? 0), postgres: of(({ cpu }) => cpu?.postgres ?? 0) },
    ratio: median(
      results.map(({ requestsPerSecond }, round) => {
        return requestsPerSecond / (against[round]?.requestsPerSecond ?? Number.NaN);
      }),
    ),
  };
}

async function differencesAt({ name, tallies, stored, databaseUrl }: Running): Promise<string[]> {
  const differences: string[] = [];
  for (const subject of SUBJECTS) {
    const rows = (await executeOnServer(databaseUrl, stored[subject])) as { id: string }[];
    const ids = rows.map(({ id }) => id);
    differences.push(...differencesOf(tallies[subject], ids).map((difference) => `${name}, ${subject}: ${difference}`));
  }
  return differences;
}

function refusedOf(tallies: Running['tallies']): number {
  return SUBJECTS.reduce((sum, subject) => sum + tallies[subject].refused.length, 0);
}
