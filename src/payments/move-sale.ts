import type { TraceStep } from '../core/attribution.ts';
import { noteApproval } from '../events/approvals.ts';
import { addEntries } from '../ledger/entries.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { earnedCommission } from './earned-commission.ts';
import { findOwnerByPartner } from './queries/owners.ts';
import { type ReversibleSale, updateTime } from './queries/reversible-sales.ts';
import { findSteps } from './queries/sales.ts';
import { ownerOf, resultOf } from './reverse-sale.ts';

/**
 * Moves a sale that the caller's backend reported to the time of another report of its payment, if that is earlier.
 * Otherwise returns the sale unchanged. If the sale earned nothing because of its time, it earns now what a sale of the
 * earlier time would have earned when this one was recorded. Commission that was earned stays, and so does the hold's
 * end. The caller settles the reversals of a changed sale.
 */
export async function moveToEarlier(
  tx: Transaction,
  now: number,
  sale: ReversibleSale,
  occurredAt: number,
): Promise<ReversibleSale> {
  const { isCallersAmount, isEarnedElsewhere, refused } = sale.terms;
  // earlier versions did not store that the amount is the caller's
  const isCallers = isCallersAmount || sale.isFromApi;
  if (!isCallers || isEarnedElsewhere || occurredAt >= sale.occurredAt) return sale;
  const moved = { ...sale, occurredAt };
  const times = [occurredAt, sale.occurredAt].map((time) => new Date(time).toISOString());
  const reason = `the time of the payment is now known: ${times.join(' instead of ')}`;
  if (refused === undefined) return storeTime(tx, moved, reason);
  const { refused: _, firstSaleAt = null, ...terms } = { ...sale.terms, commission: refused };
  const owner = await findOwnerByPartner(tx, sale.accountId, sale.partnerId);
  // a deleted partner is not found, and earns nothing at any time
  const archivedAt = owner === undefined ? 0 : owner.archivedAt;
  const purchase = { ...moved, amountMinor: sale.amount, archivedAt, firstSaleAt };
  const commission = earnedCommission(purchase, terms);
  const explained = `${reason}; ${commission.reason}`;
  if (commission.isRefused) return storeTime(tx, moved, explained);
  const earning = {
    ...moved,
    terms: { ...terms, wasRefused: true as const },
    commissionAmount: commission.amountMinor,
  };
  await storeTime(tx, earning, explained);
  await addCommission(tx, now, earning, reason);
  return earning;
}

async function storeTime(tx: Transaction, sale: ReversibleSale, reason: string): Promise<ReversibleSale> {
  const step: TraceStep = { step: 'commission', value: String(sale.commissionAmount), result: 'noted', reason };
  await updateTime(tx, sale, [...(await findSteps(tx, sale.accountId, sale.id)), step]);
  return sale;
}

async function addCommission(tx: Transaction, now: number, sale: ReversibleSale, reason: string): Promise<void> {
  const { id: saleId, accountId, availableAt, commissionAmount: commission } = sale;
  if (commission === 0) return;
  await addEntries(tx, ownerOf(sale), [{ kind: 'commission', amountMinor: commission, reason }], now);
  // the event that reported the sale's approval said that it earned nothing
  await noteApproval(tx, { accountId, saleId, dueAt: Math.max(now, availableAt) });
  countResults(tx, [{ ...resultOf(sale), commission }]);
}
