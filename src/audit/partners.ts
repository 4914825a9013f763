import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { allPages } from '../app/all-pages.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../core/ledger.ts';
import { DAY_MS, isoDate } from '../core/time.ts';
import type { Database } from '../storage/database.ts';
import type { Disagreement } from './disagreement.ts';
import { checkPayouts } from './payouts.ts';
import {
  countOpen,
  countPlaces,
  type Days,
  findDueTimes,
  findOpenCurrency,
  findPartners,
  findUnqueued,
  findWrongDays,
  findWrongOpen,
  findWrongQueued,
  type PartnersPage,
} from './queries/running-sums.ts';
import { slicesOf } from './slices.ts';
import { findLedgerSuspects } from './suspect-entries.ts';

const PARTNERS_PER_PAGE = 200;
/** The most entries that one query reads, unless more become due in the same millisecond. */
const ENTRIES_PER_QUERY = 5_000;

/** Gets the number of rows, and of partners, checked so far. */
export interface PartnersProgress {
  onRows(count: number): void;
  onPartner(count: number): void;
}

/**
 * Checks that each entry is in exactly one place, open or in one payout, and compares payouts, the sums per day and the
 * running amounts with the entries; yields each difference, partner by partner. Entries and payouts are read once, for
 * all partners together and at one instant; only suspects are then compared partner by partner. One query sees both
 * sides of that comparison, or it is repeated if the rows changed meanwhile, so that concurrent writes cause no false
 * alarm.
 */
export async function* checkPartners(
  database: Database,
  accountId: AccountId,
  { onRows, onPartner }: PartnersProgress,
): AsyncGenerator<Disagreement> {
  const suspects = await findLedgerSuspects(database, accountId, onRows);
  let count = 0;
  const pages = allPages(PARTNERS_PER_PAGE, ({ afterId, limit }) =>
    database.report((tx) => findPartners(tx, accountId, afterId, limit)),
  );
  for await (const partners of pages) {
    const page = { accountId, firstId: partners[0]?.id ?? '', lastId: partners.at(-1)?.id ?? '' };
    const queued = await queuedDifferences(database, page);
    for (const { id, isEmpty } of partners) {
      if (isEmpty === 0) {
        yield* checkDays(database, id, suspects.days.take(id));
        if (suspects.places) yield* checkPlaces(database, id);
        if (suspects.payouts.delete(id)) yield* await checkPayouts(database, id);
        yield* queued.get(id) ?? [];
        await yieldToEventLoop();
      }
      count += 1;
      onPartner(count);
    }
  }
  // entries of this account whose partner is another account's or does not exist
  for (const id of suspects.days.owners() as PartnerId[]) yield* checkDays(database, id, suspects.days.take(id));
  for (const id of suspects.payouts as Set<PartnerId>) yield* await checkPayouts(database, id);
}

async function* checkDays(database: Database, id: PartnerId, days: number[]): AsyncGenerator<Disagreement> {
  for (const suspect of days) {
    const slice = { from: suspect, to: suspect + 1 };
    for (const { day, currency } of await database.report((tx) => findWrongDays(tx, id, slice))) {
      const what = `${currency} of ${isoDate(day * DAY_MS)}`;
      yield { kind: 'partner', id, message: `its sums in ${what} are not those of its entries` };
    }
    await yieldToEventLoop();
  }
}

/**
 * No open entry is in a payout, no entry is in two payouts (a unique index), and there are as many places as entries:
 * so each entry is in exactly one place.
 */
async function* checkPlaces(database: Database, partnerId: PartnerId): AsyncGenerator<Disagreement> {
  const wrong = (message: string): Disagreement => ({ kind: 'partner', id: partnerId, message });
  const all = { from: 0, to: UNDECIDED_DUE_AT + 1 };
  for (let after = ''; ; ) {
    const afterCurrency = after;
    const currency = await database.report((tx) => findOpenCurrency(tx, partnerId, afterCurrency));
    if (currency === null) break;
    const open = { partnerId, currency };
    const times = await database.report((tx) => findDueTimes(tx, open));
    // entries that wait for a review are in a slice of their own
    const known = { from: times?.first ?? 0, to: (times?.last ?? 0) + 2 };
    const count = (slice: Days) => database.report((tx) => countOpen(tx, open, slice, ENTRIES_PER_QUERY + 1));
    for await (const slice of slicesOf(all, known, ENTRIES_PER_QUERY, count)) {
      for (const { id } of await database.report((tx) => findWrongOpen(tx, open, slice))) {
        yield wrong(`its open entry ${id} is not as in the ledger, or in a payout as well`);
      }
      await yieldToEventLoop();
    }
    after = currency;
  }
  const { entries, places } = await database.report((tx) => countPlaces(tx, partnerId));
  if (entries !== places) {
    yield wrong(`has ${entries} entries, but ${places} are open or in payouts`);
  }
}

/** Looks at the queued payouts of a page of partners at once, because answers about each would take longer. */
async function queuedDifferences(database: Database, page: PartnersPage): Promise<Map<PartnerId, Disagreement[]>> {
  const found = new Map<PartnerId, Disagreement[]>();
  const add = (partnerId: PartnerId, difference: Disagreement) =>
    found.set(partnerId, [...(found.get(partnerId) ?? []), difference]);
  for (const queued of await database.report((tx) => findWrongQueued(tx, page))) {
    const { id, partnerId, amount, entryCount, openSum, openCount } = queued;
    const message =
      amount === openSum
        ? `${openCount} entries are open, but the payout says ${entryCount}`
        : `what is open adds up to ${openSum}, not ${amount}`;
    add(partnerId, { kind: 'payout', id, message });
  }
  for (const { partnerId, currency } of await database.report((tx) => findUnqueued(tx, page))) {
    add(partnerId, { kind: 'partner', id: partnerId, message: `has entries in ${currency} but no queued payout` });
  }
  return found;
}
