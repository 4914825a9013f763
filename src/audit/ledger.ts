import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { assessSale } from '../payments/reverse-sale.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type EntryOfSale,
  findEntriesOfSales,
  findPayoutBalance,
  findPayoutBalances,
  findSaleBalance,
  findSaleBalances,
  findUnqueued,
  type PayoutBalance,
  type SaleBalance,
} from './queries/ledger.ts';

/** A difference between a stored row and what the ledger implies. */
export interface Disagreement {
  kind: 'sale' | 'payout' | 'partner';
  id: string;
  message: string;
}

const PAGE_SIZE = 200;

const UNTOUCHED = { reversal: { refundedMinor: 0, reversedMinor: 0, heldMinor: 0 }, disputedOpen: false };

/**
 * Derives the state of every sale and payout from the ledger, the refunds and the disputes, and yields each difference
 * from what is stored. Reads page by page, and checks each suspect again under its claim, so that concurrent writes cause
 * no false alarm.
 */
export async function* checkLedger(service: Service, accountId: AccountId): AsyncGenerator<Disagreement> {
  yield* checkEntries(service, accountId);
  yield* checkSales(service, accountId);
  yield* checkPayouts(service, accountId);
  yield* checkQueues(service, accountId);
}

/** Lookups find an entry by its sale only when these columns agree. */
async function* checkEntries({ database }: Service, accountId: AccountId): AsyncGenerator<Disagreement> {
  const read = (tx: Transaction, afterId: string) => findEntriesOfSales(tx, accountId, afterId, PAGE_SIZE);
  const difference = async (_tx: Transaction, { id, isStray }: EntryOfSale) =>
    isStray ? `its entry ${id} has another partner, currency or time` : null;
  for await (const { saleId, message } of rowsOf(database, read, difference))
    yield { kind: 'sale', id: saleId, message };
}

async function* checkSales({ database }: Service, accountId: AccountId): AsyncGenerator<Disagreement> {
  const read = (tx: Transaction, afterId: string) => findSaleBalances(tx, accountId, afterId, PAGE_SIZE);
  const difference = (tx: Transaction, balance: SaleBalance) => differenceOfSale(tx, accountId, balance);
  for await (const sale of rowsOf(database, read, difference)) {
    const message = await database.write(async (tx) => {
      await tx.claim(() => [claimKeys.payment(sale.paymentId)]);
      const again = await findSaleBalance(tx, accountId, sale.id);
      return again ? difference(tx, again) : null;
    });
    if (message !== null) yield { kind: 'sale', id: sale.id, message };
  }
}

async function* checkPayouts({ database }: Service, accountId: AccountId): AsyncGenerator<Disagreement> {
  const read = (tx: Transaction, afterId: string) => findPayoutBalances(tx, accountId, afterId, PAGE_SIZE);
  for await (const payout of rowsOf(database, read, async (_tx, balance) => differenceOfPayout(balance))) {
    const message = await database.write(async (tx) => {
      await tx.claim(() => [claimKeys.payout(payout.partnerId, payout.currency)]);
      const again = await findPayoutBalance(tx, payout.id);
      return again ? differenceOfPayout(again) : null;
    });
    if (message !== null) yield { kind: 'payout', id: payout.id, message };
  }
}

async function* checkQueues({ database }: Service, accountId: AccountId): AsyncGenerator<Disagreement> {
  const read = (tx: Transaction, afterId: string) => findUnqueued(tx, accountId, afterId, PAGE_SIZE);
  const difference = async (_tx: Transaction, { currency }: { currency: string | null }) =>
    currency === null ? null : `has entries in ${currency} but no queued payout`;
  for await (const { id, message } of rowsOf(database, read, difference)) yield { kind: 'partner', id, message };
}

/** Reads page by page and yields the rows that differ, each with a message. */
async function* rowsOf<Row extends { id: string }>(
  database: Service['database'],
  read: (tx: Transaction, afterId: string) => Promise<Row[]>,
  differenceOf: (tx: Transaction, row: Row) => Promise<string | null>,
): AsyncGenerator<Row & { message: string }> {
  for (let afterId = ''; ; ) {
    const page = await database.read(async (tx) => {
      const rows = await read(tx, afterId);
      const found: (Row & { message: string })[] = [];
      for (const row of rows) {
        const message = await differenceOf(tx, row);
        if (message !== null) found.push({ ...row, message });
      }
      return { lastId: rows.at(-1)?.id, found };
    });
    if (page.lastId === undefined) return;
    yield* page.found;
    afterId = page.lastId;
    await yieldToEventLoop();
  }
}

async function differenceOfSale(tx: Transaction, accountId: AccountId, balance: SaleBalance): Promise<string | null> {
  const { commissionAmount, commissionSum, reversalSum, holdSum, refundedAmount, disputedOpen } = balance;
  if (commissionSum !== commissionAmount)
    return differs('commission entries add up to', commissionSum, commissionAmount);
  const { reversal, disputedOpen: isOpen } = balance.isTouched
    ? await assessSale(tx, accountId, balance.id)
    : UNTOUCHED;
  if (-reversalSum !== reversal.reversedMinor)
    return differs('reversal entries add up to', -reversalSum, reversal.reversedMinor);
  if (-holdSum !== reversal.heldMinor) return differs('dispute entries add up to', -holdSum, reversal.heldMinor);
  if (refundedAmount !== reversal.refundedMinor) {
    return differs('the stored refunded amount is', refundedAmount, reversal.refundedMinor);
  }
  if (disputedOpen !== isOpen) return `is ${isOpen ? '' : 'not '}disputed, but the sale says otherwise`;
  return null;
}

function differenceOfPayout(payout: PayoutBalance): string | null {
  const { status, amount, entryCount, assignedSum, assignedCount, liveCount, strayCount } = payout;
  if (strayCount > 0) return `${strayCount} entries belong to another partner or currency`;
  if (status === 'queued')
    return assignedCount === 0 && amount === null ? null : 'is queued but has entries or an amount';
  if (amount !== assignedSum) return differs('its entries add up to', assignedSum, amount);
  if (entryCount !== assignedCount) return `has ${assignedCount} entries, but the payout says ${entryCount}`;
  const live = status === 'processing' || status === 'paid' ? assignedCount : 0;
  return liveCount === live
    ? null
    : `is ${status}, but ${liveCount} of its ${assignedCount} entries are live, not ${live}`;
}

function differs(what: string, found: number, expected: number | null): string {
  return `${what} ${found}, not ${expected}`;
}
