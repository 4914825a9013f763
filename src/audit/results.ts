import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { allPages } from '../app/all-pages.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId, ProgramId } from '../core/ids.ts';
import { DAY_MS, isoDate } from '../core/time.ts';
import { BLOCK_DAYS } from '../storage/conditions/result-days.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { withAuditDeadline } from './deadline.ts';
import { compareResults } from './fingerprints.ts';
import { joinsFor } from './joins.ts';
import {
  COUNTS,
  type Days,
  type Excess,
  findBlockExcess,
  findDaySizes,
  findLinkExcess,
  findLinkIds,
  findPartnerExcess,
  findPartnerIds,
  findProgramExcess,
  findProgramIds,
  type ProgramDay,
  sumPartners,
  sumProgram,
} from './queries/results.ts';
import { SuspectDays } from './suspect-days.ts';
import { findSuspectResults } from './suspect-results.ts';

/** Sums of a day, or of a block of days, that differ from the rows that they count. */
export interface WrongResult {
  kind: 'program' | 'partner' | 'link';
  id: string;
  message: string;
}

/** How many rows of one kind were checked so far. */
export interface ResultsProgress {
  checking: 'programs' | 'leads and sales' | 'results of partners' | 'links';
  count: number;
}

const PAGE_SIZE = 100;
/** The most leads and sales that one query adds up, unless a single day has more. */
const ROWS_MAX = 5_000;

/**
 * Compares the results per day of every program, partner and link of an account with its clicks, leads, sales and
 * reversals; yields each difference. First, everything is compared at once and at one instant. What differs is then
 * found step by step: programs are compared with their partners, and with the rows only where those differ; leads and
 * sales are read once for all partners together, and only suspect days are compared partner by partner. Each query
 * reads a few thousand rows. Concurrent writes cause no false alarm, because a single query saw the sums and the rows
 * of each reported difference.
 */
export async function* checkResults(
  service: Pick<Service, 'database'>,
  accountId: AccountId,
  onPage: (progress: ResultsProgress) => void = () => {},
): AsyncGenerator<WrongResult> {
  const database = withAuditDeadline(service.database);
  const progressOf = (checking: ResultsProgress['checking']) => (count: number) => onPage({ checking, count });
  const readPartners: ReadPage<{ id: PartnerId }> = (tx, page) => findPartnerIds(tx, accountId, page);
  const joins = await joinsFor(database, accountId);
  const agrees = await database.snapshot(
    (tx) => compareResults({ report: (unit) => unit(tx), joins }, accountId, progressOf('leads and sales')),
    { joins },
  );
  await yieldToEventLoop();
  if (!agrees.programs) {
    for await (const { id } of allRows(
      database,
      (tx, page) => findProgramIds(tx, accountId, page),
      progressOf('programs'),
    ))
      yield* wrongDaysOfProgram(database, id, readPartners);
  }
  if (!agrees.results || !agrees.blocks) {
    const suspects = agrees.results
      ? new SuspectDays()
      : await findSuspectResults(database, accountId, progressOf('leads and sales'));
    for await (const { id } of allRows(database, readPartners, progressOf('results of partners'))) {
      yield* wrongDaysOf(database, id, suspects.take(id));
      for (const excess of await database.report((tx) => findBlockExcess(tx, id)))
        yield wrongResult('partner', id, excess, BLOCK_DAYS);
    }
    // leads and sales of this account whose partner is another account's or does not exist
    for (const id of suspects.owners() as PartnerId[]) yield* wrongDaysOf(database, id, suspects.take(id));
  }
  if (agrees.clicks) return;
  for await (const { id } of allRows(database, (tx, page) => findLinkIds(tx, accountId, page), progressOf('links'))) {
    for (const excess of await database.report((tx) => findLinkExcess(tx, id))) yield wrongResult('link', id, excess);
  }
}

async function* wrongDaysOfProgram(
  database: Database,
  id: ProgramId,
  readPartners: ReadPage<{ id: PartnerId }>,
): AsyncGenerator<WrongResult> {
  for (const { day } of await suspectDays(database, id, readPartners)) {
    const days = { fromDay: day, toDay: day + 1 };
    for (const excess of await database.report((tx) => findProgramExcess(tx, id, days)))
      yield wrongResult('program', id, excess);
  }
}

type ReadPage<Row> = (tx: Transaction, page: { afterId: string; limit: number }) => Promise<Row[]>;

function pagesOf<Row extends { id: string }>(database: Database, read: ReadPage<Row>): AsyncGenerator<Row[]> {
  return allPages(PAGE_SIZE, (page) => database.report((tx) => read(tx, page)));
}

/** Reads page by page and yields to the event loop after each row. */
async function* allRows<Row extends { id: string }>(
  database: Database,
  read: ReadPage<Row>,
  onRow: (count: number) => void,
): AsyncGenerator<Row> {
  let count = 0;
  for await (const page of pagesOf(database, read)) {
    for (const row of page) {
      yield row;
      count += 1;
      onRow(count);
      await yieldToEventLoop();
    }
  }
}

/**
 * The days on which a program's sums differ from those of its partners. Writes between the queries look like a
 * difference.
 */
async function suspectDays(
  database: Database,
  id: ProgramId,
  readPartners: ReadPage<{ id: PartnerId }>,
): Promise<{ day: number }[]> {
  const excess = new Map<string, ProgramDay>();
  const add = (sums: readonly ProgramDay[], sign: 1 | -1) => {
    for (const { day, currency, ...counts } of sums) {
      const key = `${day} ${currency}`;
      const known = excess.get(key) ?? { day, currency, clicks: 0, leads: 0, sales: 0, revenue: 0, commission: 0 };
      for (const name of COUNTS) known[name] += sign * counts[name];
      excess.set(key, known);
    }
  };
  add(await database.report((tx) => sumProgram(tx, id)), 1);
  for await (const page of pagesOf(database, readPartners)) {
    const [first] = page;
    const range = first && { firstId: first.id, lastId: page.at(-1)?.id ?? first.id };
    if (range) add(await database.report((tx) => sumPartners(tx, id, range)), -1);
  }
  const days = [...excess.values()].filter((counts) => COUNTS.some((name) => counts[name] !== 0));
  return [...new Set(days.map(({ day }) => day))].sort((a, b) => a - b).map((day) => ({ day }));
}

/** @param suspects the days to compare, ascending */
async function* wrongDaysOf(
  database: Database,
  id: PartnerId,
  suspects: readonly number[],
): AsyncGenerator<WrongResult> {
  const sizes = suspects.length <= 1 ? [] : await database.report((tx) => findDaySizes(tx, id));
  for (const days of periodsOf(suspects, sizes)) {
    for (const excess of await database.report((tx) => findPartnerExcess(tx, id, days)))
      yield wrongResult('partner', id, excess);
    await yieldToEventLoop();
  }
}

/** Groups days into periods of at most `ROWS_MAX` rows, as counted by the sums, which may be wrong. */
function periodsOf(days: readonly number[], sizes: readonly { day: number; size: number }[]): Days[] {
  const ends: number[] = [];
  let rows = 0;
  for (const { day, size } of sizes) {
    if (rows > 0 && rows + size > ROWS_MAX) {
      ends.push(day);
      rows = 0;
    }
    rows += size;
  }
  const byPeriod = Map.groupBy(days, (day) => ends.findLastIndex((end) => end <= day));
  return [...byPeriod.values()].map((part) => ({ fromDay: part[0] as number, toDay: (part.at(-1) as number) + 1 }));
}

/** @param span how many days the sums cover */
function wrongResult(
  kind: WrongResult['kind'],
  id: string,
  { part, day, currency, ...counts }: Excess,
  span = 1,
): WrongResult {
  const wrong = Object.entries(counts).filter(([, count]) => count !== 0);
  const amounts = wrong.map(([name, count]) => `${name} by ${count > 0 ? '+' : ''}${count}`);
  const days = `${span === 1 ? '' : `${span} days from `}${isoDate(day * DAY_MS)}`;
  const where = `${part === '' ? '' : ` of ${part}`}${currency === '' ? '' : ` in ${currency}`}`;
  return { kind, id, message: `the sums of ${days}${where} are wrong: ${amounts.join(', ')}` };
}
