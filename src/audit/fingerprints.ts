import { randomInt } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type AccountId, FIRST_ID } from '../core/ids.ts';
import type { Database, Transaction } from '../storage/database.ts';
import {
  countOfPartners,
  type PlacedEntries,
  walkContents,
  walkHeldPayouts,
  walkPlacedEntries,
  walkStoredDays,
  walkUndecided,
} from './queries/ledger-fingerprint.ts';
import { walkClicks, walkCounted, walkProgramDays, walkResultDays } from './queries/result-fingerprint.ts';
import {
  FINGERPRINT_CURRENCIES,
  PRIME,
  SEEDS,
  type Seeds,
  type Weighted,
  walkPayoutCurrencies,
} from './queries/weights.ts';

const SEED_MIN = 2 ** 20;
const SEED_END = 2 ** 31 - 1;
/** Of leads and clicks. */
const NO_CURRENCY = '';
/** A page takes half a second on SQLite; each numbers partners, links and payouts anew. */
const ROWS_PER_PAGE = 200_000;

/** Where nothing differs. */
export interface LedgerAgreement {
  /** The sums per day of earnings are those of the entries; of entries in payouts, by the partner of the payout. */
  entries: boolean;
  /** Payouts contain what they say, and the sums per day of what they contain are those of their entries. */
  payouts: boolean;
  /** Each entry is either open, as in the ledger, or in one payout. */
  places: boolean;
}

const NOT_TOLD: LedgerAgreement = { entries: false, payouts: false, places: false };

/**
 * Compares what is stored of an account's partners and payouts with its entries, each of which is read once. Says of nothing
 * that it agrees when there are too many currencies to tell. All queries must see the same instant: those of a snapshot.
 *
 * @param onEntries gets the number of entries that are behind, after each full page
 */
export async function compareLedger(
  { report }: Pick<Database, 'report'>,
  accountId: AccountId,
  onEntries: (count: number) => void = () => {},
): Promise<LedgerAgreement> {
  const weighted = await weightsFor({ report }, accountId);
  if (weighted === null) return NOT_TOLD;
  const stored = (await report((tx) => walkStoredDays(tx, weighted))) ?? { entries: 0, payouts: 0 };
  const walked = await walkAllEntries({ report }, weighted, onEntries);
  const undecided = await report((tx) => walkUndecided(tx, weighted));
  const contents = await report((tx) => walkContents(tx, weighted));
  const held = await report((tx) => walkHeldPayouts(tx, weighted));
  const counts = await report((tx) => countOfPartners(tx, accountId));
  return {
    entries: isZero(stored.entries - walked.entries - undecided),
    payouts:
      walked.wrong + contents.wrong === 0 &&
      walked.assigned === contents.assigned &&
      isZero(stored.payouts + held - walked.payouts - contents.payouts),
    places:
      walked.count === walked.assigned + walked.open && walked.count === counts.entries && walked.open === counts.open,
  };
}

async function walkAllEntries(
  { report }: Pick<Database, 'report'>,
  weighted: Weighted,
  onEntries: (count: number) => void,
): Promise<Omit<PlacedEntries, 'lastId'>> {
  const sums = { count: 0, entries: 0, payouts: 0, assigned: 0, open: 0, wrong: 0 };
  for await (const found of pagesOf({ report }, (tx, page) => walkPlacedEntries(tx, weighted, page))) {
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += found[name];
    if (found.count === ROWS_PER_PAGE) onEntries(sums.count);
  }
  return sums;
}

type ReadPage<Row> = (tx: Transaction, page: { afterId: string; limit: number }) => Promise<Row | undefined>;

async function* pagesOf<Row extends { lastId: string | null; count: number }>(
  { report }: Pick<Database, 'report'>,
  read: ReadPage<Row>,
): AsyncGenerator<Row> {
  for (let afterId: string = FIRST_ID; ; ) {
    const page = { afterId, limit: ROWS_PER_PAGE };
    const found = await report((tx) => read(tx, page));
    if (found === undefined || found.lastId === null) return;
    yield found;
    if (found.count < ROWS_PER_PAGE) return;
    afterId = found.lastId;
    await yieldToEventLoop();
  }
}

/** Where nothing differs. */
export interface ResultAgreement {
  /** The sums per day of partners are those of leads and sales. */
  results: boolean;
  /** Those of blocks of days are those of days. */
  blocks: boolean;
  /** Those of programs are those of their partners. */
  programs: boolean;
  /** The clicks of all who ever had a link are its clicks per hour. */
  clicks: boolean;
}

/**
 * The same of an account's results per day, with its leads, sales and clicks.
 *
 * @param onRows gets the number of leads and sales that are behind, after each page
 */
export async function compareResults(
  { report }: Pick<Database, 'report'>,
  accountId: AccountId,
  onRows: (count: number) => void = () => {},
): Promise<ResultAgreement> {
  const weighted = await weightsFor({ report }, accountId);
  if (weighted === null) return { results: false, blocks: false, programs: false, clicks: false };
  const stored = await report((tx) => walkResultDays(tx, weighted));
  const programs = await report((tx) => walkProgramDays(tx, weighted));
  const clicks = await report((tx) => walkClicks(tx, weighted));
  let [rows, sum] = [0, 0];
  for (const read of [walkCounted.leads, walkCounted.sales]) {
    for await (const found of pagesOf({ report }, (tx, page) => read(tx, weighted, page))) {
      rows += found.count;
      sum += found.sum;
      onRows(rows);
    }
  }
  return {
    results: isZero(stored.results - sum),
    blocks: isZero(stored.blocks),
    programs: isZero(stored.programs - programs),
    clicks: isZero(stored.clicks - clicks),
  };
}

/** False when a sum per day of an account's earnings is not that of its entries, or there are too many currencies to tell. */
export async function agreesWithEntries(database: Pick<Database, 'report'>, accountId: AccountId): Promise<boolean> {
  return (await compareLedger(database, accountId)).entries;
}

/** The same of its payouts, and the sums per day of what they contain. */
export async function agreesWithPayouts(database: Pick<Database, 'report'>, accountId: AccountId): Promise<boolean> {
  return (await compareLedger(database, accountId)).payouts;
}

/** The same of its partners' results per day. */
export async function agreesWithResults(database: Pick<Database, 'report'>, accountId: AccountId): Promise<boolean> {
  return (await compareResults(database, accountId)).results;
}

/** Null when the account has more currencies than a fingerprint can tell apart. */
async function weightsFor({ report }: Pick<Database, 'report'>, accountId: AccountId): Promise<Weighted | null> {
  const found = await report((tx) => walkPayoutCurrencies(tx, accountId));
  const currencies = [...found.map(({ currency }) => currency), NO_CURRENCY];
  return currencies.length > FINGERPRINT_CURRENCIES ? null : { accountId, seeds: randomSeeds(), currencies };
}

const isZero = (sum: number) => sum % PRIME === 0;

/** New ones each time, so that what one run might miss, the next one finds. */
function randomSeeds(): Seeds {
  return Object.fromEntries(SEEDS.map((name) => [name, randomInt(SEED_MIN, SEED_END)])) as Seeds;
}
