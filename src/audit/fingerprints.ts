import { randomInt } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type AccountId, FIRST_ID } from '../core/ids.ts';
import type { Database, Joins, Transaction } from '../storage/database.ts';
import {
  countOfPartners,
  type PlacedEntries,
  walkContents,
  walkHeldPayouts,
  walkPlacedAmongAll,
  walkPlacedEntries,
  walkStoredDays,
  walkUndecided,
} from './queries/ledger-fingerprint.ts';
import { type CountedResults, walkByNumber } from './queries/result-fingerprint.ts';
import { walkByHash } from './queries/result-hashes.ts';
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
/** The currency of leads and clicks, which have none. */
const NO_CURRENCY = '';
/**
 * Each page numbers all partners, links and payouts again, so pages are large: on SQLite, one takes half a second.
 * Joined as a whole, a page of entries also reads those of all payouts, so nearly every account is a single page.
 */
const ROWS_PER_PAGE = { each: 200_000, whole: 5_000_000 } satisfies Record<Joins, number>;

/** The database at one instant, and how its queries join. */
export interface Snapshot extends Pick<Database, 'report'> {
  joins: Joins;
}

/** Which comparisons with the ledger's entries found no difference. */
export interface LedgerAgreement {
  /** Earnings per day equal the entries. An entry in a payout counts for the partner of the payout. */
  entries: boolean;
  /** Payouts contain what they state, and the sums per day of their contents equal the entries in them. */
  payouts: boolean;
  /** Each entry is either open, with the values of the ledger, or in one payout. */
  places: boolean;
}

const NO_AGREEMENT: LedgerAgreement = { entries: false, payouts: false, places: false };

/**
 * Compares the stored sums and payouts of an account's partners with its entries, each of which is read once.
 * Everything is false if the account has more currencies than a fingerprint can tell apart. All queries must see the
 * same instant: pass the `report` of a snapshot that joins in the same way.
 *
 * @param onEntries gets the number of entries read so far, after each full page
 */
export async function compareLedger(
  database: Snapshot,
  accountId: AccountId,
  onEntries: (count: number) => void = () => {},
): Promise<LedgerAgreement> {
  const { report } = database;
  const weighted = await weightsFor(database, accountId);
  if (weighted === null) return NO_AGREEMENT;
  const stored = (await report((tx) => walkStoredDays(tx, weighted))) ?? { entries: 0, payouts: 0 };
  const walked = await walkAllEntries(database, weighted, onEntries);
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
  database: Snapshot,
  weighted: Weighted,
  onEntries: (count: number) => void,
): Promise<Omit<PlacedEntries, 'lastId'>> {
  const sums = { count: 0, entries: 0, payouts: 0, assigned: 0, open: 0, wrong: 0 };
  const walk = database.joins === 'whole' ? walkPlacedAmongAll : walkPlacedEntries;
  for await (const found of pagesOf(database, (tx, page) => walk(tx, weighted, page))) {
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += found[name];
    if (found.count === ROWS_PER_PAGE[database.joins]) onEntries(sums.count);
  }
  return sums;
}

type ReadPage<Row> = (tx: Transaction, page: { afterId: string; limit: number }) => Promise<Row | undefined>;

async function* pagesOf<Row extends { lastId: string | null; count: number }>(
  { report, joins }: Snapshot,
  read: ReadPage<Row>,
): AsyncGenerator<Row> {
  const limit = ROWS_PER_PAGE[joins];
  for (let afterId: string = FIRST_ID; ; ) {
    const page = { afterId, limit };
    const found = await report((tx) => read(tx, page));
    if (found === undefined || found.lastId === null) return;
    yield found;
    if (found.count < limit) return;
    afterId = found.lastId;
    await yieldToEventLoop();
  }
}

/** Which comparisons of results per day found no difference. */
export interface ResultAgreement {
  /** The sums per day of partners equal their leads and sales. */
  results: boolean;
  /** The sums of blocks of days equal those of their days. */
  blocks: boolean;
  /** The sums of programs equal those of their partners. */
  programs: boolean;
  /** For each link, the clicks of everyone who ever held it equal its clicks per hour. */
  clicks: boolean;
}

/**
 * Compares an account's results per day with its leads, sales and clicks, under the conditions of `compareLedger`.
 *
 * @param onRows gets the number of leads and sales read so far, after each page
 */
export async function compareResults(
  database: Snapshot,
  accountId: AccountId,
  onRows: (count: number) => void = () => {},
): Promise<ResultAgreement> {
  const { report, joins } = database;
  const weighted = await weightsFor(database, accountId);
  if (weighted === null) return { results: false, blocks: false, programs: false, clicks: false };
  const walks = joins === 'whole' ? walkByHash : walkByNumber;
  const stored = await report((tx) => walks.storedDays(tx, weighted));
  const programs = await report((tx) => walks.programDays(tx, weighted));
  const clicks = await report((tx) => walks.clicks(tx, weighted));
  let [rows, sum] = [0, 0];
  for await (const found of countedOf(database, weighted)) {
    rows += found.count;
    sum += found.sum;
    onRows(rows);
  }
  return {
    results: isZero(stored.results - sum),
    blocks: isZero(stored.blocks),
    programs: isZero(stored.programs - programs),
    clicks: isZero(stored.clicks - clicks),
  };
}

async function* countedOf(database: Snapshot, weighted: Weighted): AsyncGenerator<CountedResults> {
  const { report, joins } = database;
  for (const what of ['leads', 'sales'] as const) {
    if (joins === 'whole') yield await report((tx) => walkByHash[what](tx, weighted));
    else yield* pagesOf(database, (tx, page) => walkByNumber[what](tx, weighted, page));
  }
}

/** Null when the account has more currencies than a fingerprint can tell apart. */
async function weightsFor({ report }: Snapshot, accountId: AccountId): Promise<Weighted | null> {
  const found = await report((tx) => walkPayoutCurrencies(tx, accountId));
  const currencies = [...found.map(({ currency }) => currency), NO_CURRENCY];
  return currencies.length > FINGERPRINT_CURRENCIES ? null : { accountId, seeds: randomSeeds(), currencies };
}

const isZero = (sum: number) => sum % PRIME === 0;

/** New for each run, so that the next run finds a difference that this one missed by chance. */
function randomSeeds(): Seeds {
  return Object.fromEntries(SEEDS.map((name) => [name, randomInt(SEED_MIN, SEED_END)])) as Seeds;
}
