import { setImmediate as turn } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import { assessSale } from '../payments/reverse-sale.ts';
import type { Transaction } from '../storage/database.ts';
import {
  findEntriesOfSales,
  findPayoutBalance,
  findPayoutBalances,
  findSaleBalance,
  findSaleBalances,
  findUnqueued,
  type PayoutBalance,
  type SaleBalance,
} from './queries/ledger.ts';

/** Something that the ledger says otherwise than the row it belongs to. */
export interface Disagreement {
  kind: 'sale' | 'payout' | 'partner';
  id: string;
  message: string;
}

const PAGE_SIZE = 200;

const UNTOUCHED = { reversal: { refundedMinor: 0, reversedMinor: 0, heldMinor: 0 }, disputedOpen: false };

/**
 * Derives every sale's and payout's state from the ledger, the refunds and the disputes, and tells where it differs from
 * what is stored; nothing where all agrees. Read page by page; what looks wrong is looked at again with nobody else at
 * work on it, so that a running service gives no false alarm.
 */
export async function* checkLedger(service: Service, accountId: string): AsyncGenerator<Disagreement> {
  yield* checkEntries(service, accountId);
  yield* checkSales(service, accountId);
  yield* checkPayouts(service, accountId);
  yield* checkQueues(service, accountId);
}

/** Only entries that agree with their sale in this are found as the sale's. */
async function* checkEntries({ database }: Service, accountId: string): AsyncGenerator<Disagreement> {
  const read = (tx: Transaction, afterId: string) => findEntriesOfSales(tx, accountId, afterId, PAGE_SIZE);
  const difference = async (_tx: Transaction, { id, isStray }: { id: string; isStray: number }) =>
    isStray === 0 ? null : `its entry ${id} names another partner, currency or time`;
  for await (const { saleId, message } of rowsOf(database, read, difference))
    yield { kind: 'sale', id: saleId, message };
}

async function* checkSales({ database }: Service, accountId: string): AsyncGenerator<Disagreement> {
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

async function* checkPayouts({ database }: Service, accountId: string): AsyncGenerator<Disagreement> {
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

async function* checkQueues({ database }: Service, accountId: string): AsyncGenerator<Disagreement> {
  const read = (tx: Transaction, afterId: string) => findUnqueued(tx, accountId, afterId, PAGE_SIZE);
  const difference = async (_tx: Transaction, { currency }: { currency: string | null }) =>
    currency === null ? null : `has entries in ${currency} and no queued payout`;
  for await (const { id, message } of rowsOf(database, read, difference)) yield { kind: 'partner', id, message };
}

/** Rows of which something is to be said, page after page, with what it is. */
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
    await turn();
  }
}

async function differenceOfSale(tx: Transaction, accountId: string, balance: SaleBalance): Promise<string | null> {
  const { commissionAmount, commissionSum, reversalSum, holdSum, refundedAmount, disputedOpen } = balance;
  if (commissionSum !== commissionAmount) return differs('commission entries come to', commissionSum, commissionAmount);
  const { reversal, disputedOpen: isOpen } =
    balance.isTouched === 1 ? await assessSale(tx, accountId, balance.id) : UNTOUCHED;
  if (-reversalSum !== reversal.reversedMinor)
    return differs('reversal entries come to', -reversalSum, reversal.reversedMinor);
  if (-holdSum !== reversal.heldMinor) return differs('dispute entries come to', -holdSum, reversal.heldMinor);
  if (refundedAmount !== reversal.refundedMinor) {
    return differs('the refunded amount kept with the sale is', refundedAmount, reversal.refundedMinor);
  }
  if ((disputedOpen === 1) !== isOpen) return `is ${isOpen ? '' : 'not '}disputed, and the sale says otherwise`;
  return null;
}

function differenceOfPayout(payout: PayoutBalance): string | null {
  const { status, amount, entryCount, assignedSum, assignedCount, liveCount, strayCount } = payout;
  if (strayCount > 0) return `${strayCount} entries are of another partner or currency`;
  if (status === 'queued')
    return assignedCount === 0 && amount === null ? null : 'is queued and has entries or an amount';
  if (amount !== assignedSum) return differs('its entries come to', assignedSum, amount);
  if (entryCount !== assignedCount) return `has ${assignedCount} entries, and the payout says ${entryCount}`;
  const live = status === 'processing' || status === 'paid' ? assignedCount : 0;
  return liveCount === live ? null : `is ${status} and has ${liveCount} of ${assignedCount} entries, not ${live}`;
}

function differs(what: string, found: number, expected: number | null): string {
  return `${what} ${found}, not ${expected}`;
}
