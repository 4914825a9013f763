import { entriesFor } from '../core/ledger.ts';
import { formatMoney, multiplyRatio } from '../core/money.ts';
import { type ReportedDispute, type ReportedRefund, type Reversal, reversalOf } from '../core/reversal.ts';
import { addEntries, ledgerSumsOf } from '../ledger/entries.ts';
import type { Transaction } from '../storage/database.ts';
import type { Scope } from './customers.ts';
import { listDisputes, listRefunds } from './queries/refunds.ts';
import { getReversibleSale, type ReversibleSale, updateReversed } from './queries/sales.ts';

/** A refund or dispute whose currency is neither the sale's nor the one the shopper saw: never summed. */
export class CurrencyMismatch extends Error {
  readonly currency: string;

  constructor(currency: string, sale: ReversibleSale) {
    super(`A refund or dispute in ${currency} of sale ${sale.id} in ${sale.currency} cannot be converted`);
    this.name = 'CurrencyMismatch';
    this.currency = currency;
  }
}

/**
 * Brings a sale's ledger to what its refunds and disputes come to now. Run after any of them changed; running it again
 * changes nothing. Entries become available with the sale's commission; after that was paid they are netted from the
 * next payout, which is queued here.
 *
 * @returns whether anything changed
 * @throws CurrencyMismatch
 */
export async function settleReversal(tx: Transaction, scope: Scope, saleId: string): Promise<boolean> {
  const { accountId, now } = scope;
  const sale = await getReversibleSale(tx, accountId, saleId);
  if (!sale) throw new Error(`Sale ${saleId} is missing`);
  const { reversal, disputedOpen } = await assessReversal(tx, sale);
  const entries = entriesFor(await ledgerSumsOf(tx, accountId, sale.id), reversal);
  if (entries.length > 0) {
    const reason = noteOf(sale, reversal);
    const added = entries.map(({ kind, amountMinor }) => ({ kind, amountMinor, reason }));
    await addEntries(tx, { ...ownerOf(sale), saleId: sale.id }, added, now);
  }
  const moved = sale.refundedAmount !== reversal.refundedMinor || (sale.disputedOpen === 1) !== disputedOpen;
  if (moved) await updateReversed(tx, sale, reversal.refundedMinor, disputedOpen);
  return moved || entries.length > 0;
}

/**
 * What a sale's stored refunds and disputes come to now. A second record of another sale has none of its own.
 *
 * @throws CurrencyMismatch
 */
export async function assessReversal(
  tx: Transaction,
  sale: ReversibleSale,
): Promise<{ reversal: Reversal; disputedOpen: boolean }> {
  const isSecondRecord = sale.voidedReason !== null;
  const refunds = isSecondRecord ? [] : await refundsOf(tx, sale);
  const disputes = isSecondRecord ? [] : await disputesOf(tx, sale);
  const voided = isSecondRecord || sale.review === 'rejected';
  const reversible = { grossMinor: sale.grossAmount, commissionMinor: sale.commissionAmount, voided };
  return {
    reversal: reversalOf(reversible, refunds, disputes),
    disputedOpen: disputes.some((dispute) => dispute.state === 'open'),
  };
}

/**
 * What a sale's refunds and disputes come to now.
 *
 * @throws CurrencyMismatch; Error when the sale is missing
 */
export async function assessSale(tx: Transaction, accountId: string, saleId: string) {
  const sale = await getReversibleSale(tx, accountId, saleId);
  if (!sale) throw new Error(`Sale ${saleId} is missing`);
  return assessReversal(tx, sale);
}

function ownerOf({ accountId, programId, partnerId, currency, availableAt }: ReversibleSale) {
  return { accountId, programId, partnerId, currency, availableAt };
}

/** What is worth saying beside a reversal: why all is taken back, or that more was reported than was paid; else null. */
export function noteOf(sale: ReversibleSale, { reportedMinor }: Reversal): string | null {
  if (sale.voidedReason !== null) return sale.voidedReason;
  if (sale.review === 'rejected') return 'a self-referral, rejected';
  if (reportedMinor <= sale.grossAmount) return null;
  const [reported, paid] = [reportedMinor, sale.grossAmount].map((amount) => formatMoney(amount, sale.currency));
  return `refunds and lost disputes of ${reported} were reported, more than the ${paid} paid: counted as ${paid}`;
}

async function refundsOf(tx: Transaction, sale: ReversibleSale): Promise<ReportedRefund[]> {
  const rows = await listRefunds(tx, sale.paymentId);
  return rows.map((row) => ({
    kind: row.kind,
    amountMinor: row.amount === null ? null : inSaleCurrency(row.amount, row.currency, sale),
    failed: row.failed === 1,
  }));
}

async function disputesOf(tx: Transaction, sale: ReversibleSale): Promise<ReportedDispute[]> {
  const rows = await listDisputes(tx, sale.paymentId);
  return rows.map((row) => ({ amountMinor: inSaleCurrency(row.amount, row.currency, sale), state: row.state }));
}

/** As it is, or as the fraction of the presentment total that it is. */
function inSaleCurrency(amountMinor: number, currency: string, sale: ReversibleSale): number {
  if (currency === sale.currency) return amountMinor;
  if (currency === sale.presentmentCurrency && sale.presentmentAmount) {
    return multiplyRatio(Math.min(amountMinor, sale.presentmentAmount), sale.grossAmount, sale.presentmentAmount);
  }
  throw new CurrencyMismatch(currency, sale);
}
