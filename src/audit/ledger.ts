import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import { type AccountId, FIRST_ID, LAST_ID, type PaymentId, type SaleId } from '../core/ids.ts';
import { type AssessedReversal, assessSales } from '../payments/assess-reversal.ts';
import { CurrencyMismatch } from '../payments/reported-amounts.ts';
import type { Database, Joins, Transaction } from '../storage/database.ts';
import { withAuditDeadline } from './deadline.ts';
import type { Disagreement } from './disagreement.ts';
import { joinsFor } from './joins.ts';
import { checkPartners } from './partners.ts';
import {
  countPartners,
  countSales,
  findEndOfSales,
  findNotableAmongAll,
  findNotableSales,
  findSaleBalances,
  type IdRange,
  type SaleBalance,
} from './queries/ledger.ts';
import type { SalesPart } from './sales-parts.ts';

/** How far the check of one account has come. */
export interface AuditProgress {
  checking: 'sales' | 'entries' | 'partners';
  count: number;
  /** Null when it was not counted. */
  total: number | null;
}

export type OnAuditProgress = (progress: AuditProgress) => void;

/** The database hands over only the sales that need a closer look. On SQLite, a page takes about 30 ms. */
const PAGE_SIZE = 5_000;
/** How many sales are assessed at a time, each with its terms, refunds and disputes. */
const ASSESSED = 1_000;
/** PostgreSQL looks up one list of them while another one is assessed. */
const LIST_SIZE = ASSESSED / 2;

const UNTOUCHED: AssessedReversal = {
  reversal: { reportedMinor: 0, refundedMinor: 0, reversedMinor: 0, heldMinor: 0 },
  disputedOpen: false,
};

/**
 * Derives the state of every sale from the ledger, the refunds and the disputes, and the open entries, payouts and sums
 * of every partner from its entries; yields each difference from what is stored. Sales are read page by page in the
 * order of ids, which is the order of the rows on disk. Each suspect is read again under its claim, so that concurrent
 * writes cause no false alarm.
 *
 * @param onProgress called after each page of sales and each partner; if given, both are counted first
 */
export async function* checkLedger(
  service: Pick<Service, 'database'>,
  accountId: AccountId,
  onProgress?: OnAuditProgress,
): AsyncGenerator<Disagreement> {
  yield* checkSalesOf(service, accountId, onProgress);
  yield* checkPartnersOf(service, accountId, onProgress);
}

/**
 * The part of `checkLedger` that looks at sales.
 *
 * @param part checks only these sales, which are then not counted first
 */
export async function* checkSalesOf(
  service: Pick<Service, 'database'>,
  accountId: AccountId,
  onProgress?: OnAuditProgress,
  part?: SalesPart,
): AsyncGenerator<Disagreement> {
  const database = withAuditDeadline(service.database);
  const total = onProgress && !part ? await totalOf(database, (tx) => countSales(tx, accountId)) : null;
  const { afterId, lastId } = part ?? { afterId: FIRST_ID, lastId: LAST_ID };
  const joins = part?.joins ?? (await joinsFor(database, accountId));
  const onPage = (count: number) => onProgress?.({ checking: 'sales', count, total });
  yield* checkSales(database, { accountId, afterId, lastId }, { joins, onPage });
}

/** The part of `checkLedger` that looks at open entries, payouts and sums. */
export async function* checkPartnersOf(
  service: Pick<Service, 'database'>,
  accountId: AccountId,
  onProgress?: OnAuditProgress,
): AsyncGenerator<Disagreement> {
  const database = withAuditDeadline(service.database);
  const total = onProgress ? await totalOf(database, (tx) => countPartners(tx, accountId)) : null;
  yield* checkPartners(database, accountId, {
    onRows: (count) => onProgress?.({ checking: 'entries', count, total: null }),
    onPartner: (count) => onProgress?.({ checking: 'partners', count, total }),
  });
}

/** Null when counting takes too long: a missing total must not end the audit. */
async function totalOf(database: Database, count: (tx: Transaction) => Promise<number>): Promise<number | null> {
  try {
    return await database.report(count);
  } catch {
    return null;
  }
}

interface Reading {
  joins: Joins;
  /** Gets the number of sales read so far. */
  onPage(count: number): void;
}

async function* checkSales(database: Database, range: IdRange, reading: Reading): AsyncGenerator<Disagreement> {
  const { accountId } = range;
  for await (const { id, paymentId } of suspectSales(database, range, reading)) {
    const message = await database.write(
      async (tx) => {
        await tx.claim(() => [claimKeys.payment(paymentId)]);
        const [different] = await findDifferences(tx, accountId, [id]);
        return different?.message ?? null;
      },
      { alone: true },
    );
    if (message !== null) yield { kind: 'sale', id, message };
  }
}

interface DifferentSale {
  id: SaleId;
  paymentId: PaymentId;
  message: string;
}

async function findDifferences(
  tx: Transaction,
  accountId: AccountId,
  ids: readonly SaleId[],
): Promise<DifferentSale[]> {
  const balances = await findSaleBalances(tx, accountId, ids);
  const assessed = await assessSales(tx, accountId, ids);
  return balances.flatMap((balance) => {
    const message = differenceOfSale(balance, assessed);
    return message === null ? [] : [{ id: balance.id, paymentId: balance.paymentId, message }];
  });
}

async function* suspectSales(
  database: Database,
  range: IdRange,
  { joins, onPage }: Reading,
): AsyncGenerator<DifferentSale> {
  const { accountId } = range;
  let total = 0;
  for (let next: Promise<NotablePage> | null = readNotable(database, range, joins); next !== null; ) {
    const page: NotablePage = await next;
    const { lastId } = page;
    // PostgreSQL reads the next page on a connection of its own, while another one looks up the sales of this page
    next = lastId === null ? null : readNotable(database, { ...range, afterId: lastId }, joins);
    next?.catch(() => {});
    total += page.count;
    for (let start = 0; start < page.notable.length; start += ASSESSED) {
      const lists = listsOf(page.notable.slice(start, start + ASSESSED), LIST_SIZE);
      const found = lists.map((ids) => database.report((tx) => findDifferences(tx, accountId, ids)));
      yield* (await Promise.all(found)).flat();
      const left = page.notable.length - start - ASSESSED;
      if (left > 0) onPage(total - left);
    }
    if (page.count > 0) onPage(total);
    await yieldToEventLoop();
  }
}

function listsOf(ids: readonly SaleId[], size: number): SaleId[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, place) =>
    ids.slice(place * size, (place + 1) * size),
  );
}

interface NotablePage {
  /** Null on the last page. */
  lastId: string | null;
  /** How many sales were read. */
  count: number;
  notable: SaleId[];
}

/** Joined as a whole, all sales of the range are one page. */
async function readNotable(database: Database, rest: IdRange, joins: Joins): Promise<NotablePage> {
  if (joins === 'whole') {
    const found = await database.snapshot((tx) => findNotableAmongAll(tx, rest), { joins });
    return { ...found, lastId: null };
  }
  const { lastId, count } = await database.report((tx) => findEndOfSales(tx, rest, PAGE_SIZE));
  if (lastId === null) return { lastId, count, notable: [] };
  const notable = await database.report((tx) => findNotableSales(tx, { ...rest, lastId }));
  return { lastId, count, notable };
}

function differenceOfSale(balance: SaleBalance, assessed: Awaited<ReturnType<typeof assessSales>>): string | null {
  const { id, commissionAmount, commissionSum, reversalSum, holdSum, refundedAmount, disputedOpen } = balance;
  if (balance.strayEntryId !== null) return `its entry ${balance.strayEntryId} has another partner, currency or time`;
  if (balance.dueCount > 0) return `waits for a review, but ${balance.dueCount} of its entries could be paid`;
  if (commissionSum !== commissionAmount)
    return differs('commission entries add up to', commissionSum, commissionAmount);
  const assessedSale = assessed.get(id) ?? UNTOUCHED;
  if (assessedSale instanceof CurrencyMismatch) return assessedSale.message;
  const { reversal, disputedOpen: isOpen } = assessedSale;
  if (-reversalSum !== reversal.reversedMinor)
    return differs('reversal entries add up to', -reversalSum, reversal.reversedMinor);
  if (-holdSum !== reversal.heldMinor) return differs('dispute entries add up to', -holdSum, reversal.heldMinor);
  if (refundedAmount !== reversal.refundedMinor) {
    return differs('the stored refunded amount is', refundedAmount, reversal.refundedMinor);
  }
  if (disputedOpen !== isOpen) return `is ${isOpen ? '' : 'not '}disputed, but the sale says otherwise`;
  return null;
}

function differs(what: string, found: number, expected: number): string {
  return `${what} ${found}, not ${expected}`;
}
