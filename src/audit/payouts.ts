import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LAST_ID, type PartnerId } from '../core/ids.ts';
import { isUnderWay as isBeingPaid } from '../core/payout.ts';
import { DAY_MS, isoDate } from '../core/time.ts';
import type { Database } from '../storage/database.ts';
import type { Disagreement } from './disagreement.ts';
import {
  type AssignedEntries,
  type AssignedSlice,
  findDaysOfPayouts,
  findEndOfSlice,
  findPayoutDays,
  findPayouts,
  type StoredPayout,
  sumAssigned,
} from './queries/payouts.ts';

const PAYOUTS_PER_PAGE = 500;
/** The most entries that one query adds up. */
const ENTRIES_PER_QUERY = 10_000;
/** How often payouts are read before those that keep changing are left unjudged. */
const ATTEMPTS_MAX = 5;

/** What the walk through a partner's payouts found. */
interface Walk {
  /** By the id of the payout. */
  contents: Map<string, { amount: number; count: number; strayCount: number; wrongCount: number }>;
  /** By how much stored sums exceed the entries, for each day of a payout, or of a kind of sum in a currency. */
  excess: Map<string, { of: string; day: number; amount: number }>;
}

/**
 * Compares a partner's payouts, their sums per day, and the partner's sums per day of what is in payouts and what is
 * paid with the entries, each of which is read once. It reads in slices, and starts again if a payout changed
 * meanwhile; payouts that change every time are not judged.
 */
export async function checkPayouts(database: Database, partnerId: PartnerId): Promise<Disagreement[]> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const payouts = await allPayouts(database, partnerId);
    const walk: Walk = { contents: new Map(), excess: new Map() };
    const byId = new Map(payouts.map((payout) => [payout.id, payout]));
    for await (const slice of slicesOfPayouts(database, payouts, ENTRIES_PER_QUERY)) {
      const range = { ...slice, partnerId };
      for (const sum of await database.report((tx) => sumAssigned(tx, range))) addSum(walk, sum, byId.get(sum.id));
    }
    await subtractStored(database, walk, partnerId);
    const found = differencesOf(partnerId, payouts, walk);
    if (found.length === 0) return [];
    if (isSame(payouts, await allPayouts(database, partnerId))) return found;
    await yieldToEventLoop();
  }
  return [];
}

async function allPayouts(database: Database, partnerId: PartnerId): Promise<StoredPayout[]> {
  const payouts: StoredPayout[] = [];
  for (;;) {
    const afterId = payouts.at(-1)?.id ?? '';
    const page = await database.report((tx) => findPayouts(tx, partnerId, afterId, PAYOUTS_PER_PAGE));
    payouts.push(...page);
    if (page.length < PAYOUTS_PER_PAGE) return payouts;
  }
}

function isSame(before: readonly StoredPayout[], after: readonly StoredPayout[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

/**
 * Divides payouts, in their order, into slices of at most `entriesMax` entries; a larger payout becomes several slices.
 */
export async function* slicesOfPayouts(
  database: Database,
  payouts: readonly StoredPayout[],
  entriesMax: number,
): AsyncGenerator<AssignedSlice> {
  for (const range of rangesOf(payouts, entriesMax)) {
    if (range.firstId !== range.lastId) {
      yield range;
      continue;
    }
    for (let afterEntryId = ''; ; ) {
      const after = afterEntryId;
      const end = await database.report((tx) => findEndOfSlice(tx, range.firstId, after, entriesMax));
      if (end === null) break;
      yield { ...range, afterEntryId, lastEntryId: end };
      afterEntryId = end;
      await yieldToEventLoop();
    }
  }
}

/**
 * Groups neighboring payouts that have at most `entriesMax` entries together; a larger payout is a range of its own.
 */
function rangesOf(payouts: readonly StoredPayout[], entriesMax: number): AssignedSlice[] {
  const ranges: AssignedSlice[] = [];
  let entries = Number.POSITIVE_INFINITY;
  for (const { id, entryCount } of payouts) {
    const range = ranges.at(-1);
    if (range && entries + entryCount <= entriesMax) {
      range.lastId = id;
      entries += entryCount;
    } else {
      ranges.push({ firstId: id, lastId: id, afterEntryId: '', lastEntryId: LAST_ID });
      entries = entryCount;
    }
  }
  return ranges;
}

function addSum({ contents, excess }: Walk, sum: AssignedEntries, payout: StoredPayout | undefined): void {
  const { id, day, dueDay, amount, count, strayCount, wrongCount } = sum;
  const known = contents.get(id);
  if (known) {
    known.amount += amount;
    known.count += count;
    known.strayCount += strayCount;
    known.wrongCount += wrongCount;
  } else contents.set(id, { amount, count, strayCount, wrongCount });
  if (!payout) return;
  if (isUnderWay(payout)) {
    addExcess(excess, `payout ${id}`, { day, dueDay, amount: -amount });
    addExcess(excess, `days ${payout.currency}`, { day, dueDay, amount: -amount });
  } else if (payout.status === 'paid') {
    addExcess(excess, `paid ${payout.currency}`, { day, dueDay, amount: -amount });
  }
}

/** True if the entries of the payout are neither open nor paid. */
export function isUnderWay({ status, isCollecting }: StoredPayout): boolean {
  return isBeingPaid(status) || isCollecting === 1;
}

function addExcess(
  excess: Walk['excess'],
  of: string,
  { day, dueDay, amount }: { day: number; dueDay: number; amount: number },
): void {
  const key = `${of} ${day} ${dueDay}`;
  const sum = (excess.get(key)?.amount ?? 0) + amount;
  if (sum === 0) excess.delete(key);
  else excess.set(key, { of, day, amount: sum });
}

async function subtractStored(database: Database, { excess }: Walk, partnerId: PartnerId): Promise<void> {
  for (const { currency, inPayouts, paid, ...days } of await database.report((tx) =>
    findDaysOfPayouts(tx, partnerId),
  )) {
    if (inPayouts !== 0) addExcess(excess, `days ${currency}`, { ...days, amount: inPayouts });
    if (paid !== 0) addExcess(excess, `paid ${currency}`, { ...days, amount: paid });
  }
  for (const { id, ...day } of await database.report((tx) => findPayoutDays(tx, partnerId))) {
    addExcess(excess, `payout ${id}`, day);
  }
}

function differencesOf(
  partnerId: PartnerId,
  payouts: readonly StoredPayout[],
  { contents, excess }: Walk,
): Disagreement[] {
  const found: Disagreement[] = [];
  const wrong = [...excess.values()].sort((a, b) => a.day - b.day);
  for (const payout of payouts) {
    const contained = contents.get(payout.id) ?? { amount: 0, count: 0, strayCount: 0, wrongCount: 0 };
    const message = differenceOfPayout(payout, contained);
    if (message !== null) found.push({ kind: 'payout', id: payout.id, message });
    if (!wrong.some(({ of }) => of === `payout ${payout.id}`)) continue;
    const days = isUnderWay(payout)
      ? 'its sums per day are not those of its entries'
      : 'is not under way, but has sums per day';
    found.push({ kind: 'payout', id: payout.id, message: days });
  }
  const days = wrong.filter(({ of }) => !of.startsWith('payout '));
  const messages = days.map(({ of, day }) => {
    const [kind, currency] = of.split(' ');
    const what = kind === 'paid' ? 'paid' : 'in payouts';
    return `what is ${what} in ${currency} of ${isoDate(day * DAY_MS)} is not what its payouts contain`;
  });
  for (const message of new Set(messages)) found.push({ kind: 'partner', id: partnerId, message });
  return found;
}

/**
 * What is wrong with a payout that contains these entries; null if nothing is. While a queued payout gives back what it
 * collected, only the marks of its entries can be judged.
 */
export function differenceOfPayout(
  { status, settlingAfter, amount, entryCount }: StoredPayout,
  contained: { amount: number; count: number; strayCount: number; wrongCount: number },
): string | null {
  const { strayCount, wrongCount } = contained;
  if (strayCount > 0) return `${strayCount} entries belong to another partner, currency or sale`;
  if (!(status === 'queued' && settlingAfter !== null)) {
    if (amount !== contained.amount) return `its entries add up to ${contained.amount}, not ${amount}`;
    if (entryCount !== contained.count) return `has ${contained.count} entries, but the payout says ${entryCount}`;
  }
  return wrongCount === 0
    ? null
    : `is ${status}, but ${wrongCount} of its ${contained.count} entries are not marked so`;
}
