import type { AccountId } from '../core/ids.ts';
import type { Database } from '../storage/database.ts';
import { compareLedger } from './fingerprints.ts';
import { joinsFor } from './joins.ts';
import { groupPartners, type PartnerGroup } from './partner-ranges.ts';
import { differenceOfPayout, isUnderWay, slicesOfPayouts } from './payouts.ts';
import {
  countLedgerDays,
  findLedgerDays,
  type WalkedPayout,
  walkAssigned,
  walkEntries,
  walkPayoutDays,
  walkPayouts,
} from './queries/ledger-walks.ts';
import type { PartnerRange } from './queries/partner-ranges.ts';
import { SumTable } from './sum-table.ts';
import { SuspectDays } from './suspect-days.ts';
import { countRows, WALK_PAGE, walk } from './walk.ts';

/** Of the sums per day: earned, reversed, in payouts, paid. */
const COLUMNS = 4;
const NO_PART = { part: '', currency: '' };

/** What seems to differ from the entries and must be read again at one instant. */
export interface LedgerSuspects {
  /** The days of partners on which sums of earnings are suspect. */
  days: SuspectDays;
  /** The partners whose payouts, or whose sums per day of payout contents, are suspect. */
  payouts: Set<string>;
  /** True if an entry may be in no place, or in two. */
  places: boolean;
}

interface Screening {
  database: Database;
  suspects: LedgerSuspects;
  onPage(count: number): void;
}

/**
 * Compares the sums per day, the payouts and the open entries of all partners of an account with the entries: all at
 * once, and only if that finds a difference one by one, where each entry is read once in the order of ids. No
 * difference is missed, but concurrent writes can look like one.
 *
 * @param onPage gets the number of rows read so far, now and then
 */
export async function findLedgerSuspects(
  database: Database,
  accountId: AccountId,
  onPage: (count: number) => void,
): Promise<LedgerSuspects> {
  const joins = await joinsFor(database, accountId);
  const { entries, payouts, places } = await database.snapshot(
    (tx) => compareLedger({ report: (unit) => unit(tx), joins }, accountId, onPage),
    { joins },
  );
  // a payout that misstates its contents also miscounts places
  const suspects = { days: new SuspectDays(), payouts: new Set<string>(), places: !(places && payouts) };
  if (entries && payouts) return suspects;
  const onRows = countRows(onPage);
  const screening: Screening = { database, suspects, onPage: onRows };
  for (const group of await groupPartners(database, accountId, countLedgerDays)) await screen(screening, group);
  return suspects;
}

async function screen(screening: Screening, { range, pieces }: PartnerGroup): Promise<void> {
  const { database, suspects } = screening;
  const table = new SumTable(COLUMNS);
  for (const piece of pieces) {
    for (const stored of await database.report((tx) => findLedgerDays(tx, piece))) {
      const { earned, reversed, inPayouts, paid } = stored;
      table.add({ ...NO_PART, ...stored }, earned, reversed, inPayouts, paid);
    }
  }
  await subtractEntries(screening, table, range);
  for await (const page of walk(database, (tx, afterId, limit) => walkPayouts(tx, range, afterId, limit))) {
    await subtractPayouts(screening, { table, range, payouts: page });
  }
  for (const { owner, day, sums } of table.differences()) {
    const [earned, reversed, inPayouts, paid] = sums;
    if (earned !== 0 || reversed !== 0) suspects.days.add(owner, day);
    if (inPayouts !== 0 || paid !== 0) suspects.payouts.add(owner);
  }
}

async function subtractEntries({ database, onPage }: Screening, table: SumTable, range: PartnerRange): Promise<void> {
  for await (const page of walk(database, (tx, afterId, limit) => walkEntries(tx, range, afterId, limit))) {
    for (const { owner, currency, day, dueDay, isEarned, amount } of page) {
      const key = { owner, part: '', currency, day, dueDay };
      if (isEarned === 1) table.add(key, -amount);
      else table.add(key, 0, amount);
    }
    onPage(page.length);
  }
}

interface PayoutPage {
  /** The sums per day of the partners. */
  table: SumTable;
  range: PartnerRange;
  payouts: WalkedPayout[];
}

/** What the entries of one payout add up to. */
interface Contents {
  amount: number;
  count: number;
  strayCount: number;
  wrongCount: number;
}

async function subtractPayouts(screening: Screening, page: PayoutPage): Promise<void> {
  const { database, suspects, onPage } = screening;
  const { table, range, payouts } = page;
  const [first] = payouts;
  if (first === undefined) return;
  const read = new Map(payouts.map((payout) => [payout.id, { payout, contents: emptyContents() }]));
  const daysOfPayouts = new SumTable(1);
  for await (const slice of slicesOfPayouts(database, payouts, WALK_PAGE)) {
    const entries = await database.report((tx) => walkAssigned(tx, range, slice));
    for (const { payoutId, day, dueDay, amount, isWrong } of entries) {
      const found = read.get(payoutId);
      // a payout that began meanwhile: the sums of its partner differ as well
      if (found === undefined) continue;
      const { payout, contents } = found;
      contents.amount += amount;
      contents.count += 1;
      contents.wrongCount += isWrong;
      const key = { owner: payout.partnerId, part: '', currency: payout.currency, day, dueDay };
      if (isUnderWay(payout)) {
        table.add(key, 0, 0, -amount);
        daysOfPayouts.add({ ...NO_PART, owner: payoutId, day, dueDay }, -amount);
      } else if (payout.status === 'paid') table.add(key, 0, 0, 0, -amount);
    }
    onPage(entries.length);
  }
  const ends = { firstId: first.id, lastId: payouts.at(-1)?.id ?? first.id };
  for (const { amount, ...days } of await database.report((tx) => walkPayoutDays(tx, range, ends))) {
    daysOfPayouts.add({ ...NO_PART, ...days }, amount);
  }
  const withWrongDays = new Set<string>([...daysOfPayouts.differences()].map(({ owner }) => owner));
  for (const { payout, contents } of read.values()) {
    const differs = differenceOfPayout(payout, contents) !== null || withWrongDays.has(payout.id);
    if (differs) suspects.payouts.add(payout.partnerId);
  }
}

function emptyContents(): Contents {
  return { amount: 0, count: 0, strayCount: 0, wrongCount: 0 };
}
