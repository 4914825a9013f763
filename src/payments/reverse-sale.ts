import { inOrder } from '../app/in-order.ts';
import type { AccountId, SaleId } from '../core/ids.ts';
import { entriesFor, type NewEntry } from '../core/ledger.ts';
import { formatMoney } from '../core/money.ts';
import { distinctRefunds } from '../core/refund-report.ts';
import { type Reversal, reversalOf } from '../core/reversal.ts';
import { reconsiderApproval } from '../events/approvals.ts';
import { failProcessedDelivery } from '../inbox/outcome.ts';
import { addEntries, ledgerSumsOf } from '../ledger/entries.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { deleteDispute, findDisputes, findDisputesOf } from './queries/disputes.ts';
import { deleteRefund, findRefunds, findRefundsOf } from './queries/refunds.ts';
import {
  findReversibleSale,
  findReversibleSales,
  type ReversibleSale,
  updateReversed,
} from './queries/reversible-sales.ts';
import type { NewSale } from './queries/sales.ts';
import {
  CurrencyMismatch,
  type DisputeAmount,
  presentedMinorOf,
  type RefundAmount,
  reportedDisputeOf,
  reportedRefundsOf,
} from './reported-amounts.ts';
import { recordSaleEvent } from './sale-events.ts';

/** The combined effect of a sale's refunds and disputes. */
export interface AssessedReversal {
  reversal: Reversal;
  disputedOpen: boolean;
}

/**
 * Brings a sale's ledger in line with its refunds and disputes. Run it after any of them changed; idempotent. The
 * entries become available together with the sale's commission. Once that is paid, they reduce the next payout, which
 * is queued here.
 *
 * @param sale as stored
 * @returns whether anything changed
 * @throws CurrencyMismatch before anything is written
 */
export async function settleReversals(tx: Transaction, now: number, sale: ReversibleSale): Promise<boolean> {
  const [{ reversal, disputedOpen }, sums] = await inOrder(assessReversal(tx, sale), ledgerSumsOf(tx, sale.id));
  const entries = entriesFor(sums, reversal);
  if (entries.length > 0) {
    const reason = noteOf(sale, reversal);
    const added = entries.map(({ kind, amountMinor }) => ({ kind, amountMinor, reason }));
    await addEntries(tx, ownerOf(sale), added, now);
  }
  const isOutdated = sale.refundedAmount !== reversal.refundedMinor || sale.disputedOpen !== disputedOpen;
  if (isOutdated) await updateReversed(tx, sale, reversal.refundedMinor, disputedOpen);
  const commission = sumOfReversals(entries);
  if (commission !== 0) countResults(tx, [{ ...resultOf(sale), commission }]);
  if (isOutdated) await recordReversalEvents(tx, now, sale, { reversal, disputedOpen });
  return isOutdated || entries.length > 0;
}

/**
 * Like `settleReversals`, for refunds and disputes that arrived before this sale. A refund or dispute in a currency
 * that cannot be converted is deleted and its delivery fails, as if it had arrived after the sale. A refund that only the
 * caller reported stays, and does not count.
 */
export async function settleEarlierReversals(tx: Transaction, now: number, sale: ReversibleSale): Promise<void> {
  for (;;) {
    try {
      await settleReversals(tx, now, sale);
      return;
    } catch (error) {
      if (!(error instanceof CurrencyMismatch)) throw error;
      await failReportsIn(tx, now, sale, error);
    }
  }
}

async function failReportsIn(
  tx: Transaction,
  now: number,
  { accountId, paymentId }: ReversibleSale,
  { currency, message }: CurrencyMismatch,
): Promise<void> {
  for (const refund of await findRefunds(tx, paymentId)) {
    if (refund.currency !== currency || refund.deliveryId === null) continue;
    await deleteRefund(tx, accountId, refund.processor, refund.refundKey);
    await failProcessedDelivery(tx, { accountId, deliveryId: refund.deliveryId }, message, now);
  }
  for (const dispute of await findDisputes(tx, paymentId)) {
    if (dispute.currency !== currency) continue;
    await deleteDispute(tx, accountId, dispute.processor, dispute.disputeId);
    await failProcessedDelivery(tx, { accountId, deliveryId: dispute.deliveryId }, message, now);
  }
}

/**
 * Computes the reversal from a sale's stored refunds and disputes. A voided sale counts neither: it is reversed in
 * full.
 *
 * @throws CurrencyMismatch
 */
async function assessReversal(tx: Transaction, sale: ReversibleSale): Promise<AssessedReversal> {
  if (sale.voidedReason !== null) return assessReports(sale, [], []);
  const [refunds, disputes] = await inOrder(findRefunds(tx, sale.paymentId), findDisputes(tx, sale.paymentId));
  return assessReports(sale, refunds, disputes);
}

/**
 * Like `assessReversal`, for many sales in a few queries. The result is keyed by sale id and omits missing sales. A sale
 * with a refund or dispute that cannot be converted has the error, so that the others are assessed all the same.
 */
export async function assessSales(
  tx: Transaction,
  accountId: AccountId,
  saleIds: readonly SaleId[],
): Promise<Map<SaleId, AssessedReversal | CurrencyMismatch>> {
  const sales = await findReversibleSales(tx, accountId, saleIds);
  const paymentIds = sales.map(({ paymentId }) => paymentId);
  const refunds = Map.groupBy(await findRefundsOf(tx, paymentIds), ({ paymentId }) => paymentId);
  const disputes = Map.groupBy(await findDisputesOf(tx, paymentIds), ({ paymentId }) => paymentId);
  return new Map(
    sales.map((sale) => [
      sale.id,
      orMismatch(() => {
        const reported = distinctRefunds(refunds.get(sale.paymentId) ?? []);
        return assessReports(sale, reported, disputes.get(sale.paymentId) ?? []);
      }),
    ]),
  );
}

function orMismatch<T>(work: () => T): T | CurrencyMismatch {
  try {
    return work();
  } catch (error) {
    if (error instanceof CurrencyMismatch) return error;
    throw error;
  }
}

/**
 * Computes the reversal from all refunds of a sale, each once, and all disputes.
 *
 * @throws CurrencyMismatch
 */
export function assessReports(
  sale: ReversibleSale,
  refunds: readonly RefundAmount[],
  disputes: readonly DisputeAmount[],
): AssessedReversal {
  const isVoided = sale.voidedReason !== null;
  const { grossAmount, amount, terms } = sale;
  const reportedRefunds = isVoided ? [] : reportedRefundsOf(sale, refunds);
  const reportedDisputes = isVoided ? [] : disputes.map((row) => reportedDisputeOf(sale, row));
  const reversible = {
    grossMinor: grossAmount,
    // the amount is what is left
    refundedElsewhereMinor: Math.min(terms.refundedElsewhere ?? 0, Math.max(0, grossAmount - amount)),
    amountMinor: amount,
    amountBasis: terms.amountBasis,
    commissionMinor: sale.commissionAmount,
    presentedMinor: presentedMinorOf(sale),
    paidLines: sale.paidLines,
    voided: isVoided || sale.review === 'rejected',
  };
  return {
    reversal: reversalOf(reversible, reportedRefunds, reportedDisputes),
    disputedOpen: reportedDisputes.some((dispute) => dispute.state === 'open'),
  };
}

/**
 * Reads a sale that must exist.
 *
 * @throws Error when it is missing
 */
export async function getReversibleSale(
  tx: Transaction,
  accountId: AccountId,
  saleId: SaleId,
): Promise<ReversibleSale> {
  const sale = await findReversibleSale(tx, accountId, saleId);
  if (!sale) throw new Error(`Sale ${saleId} is missing`);
  return sale;
}

/** Records the events of a new refund or dispute. If one was undone, the sale may become approved again. */
async function recordReversalEvents(
  tx: Transaction,
  now: number,
  sale: ReversibleSale,
  { reversal, disputedOpen }: AssessedReversal,
) {
  const event = { accountId: sale.accountId, saleId: sale.id, now };
  if (reversal.refundedMinor > sale.refundedAmount) await recordSaleEvent(tx, 'sale.refunded', event);
  if (disputedOpen && !sale.disputedOpen) await recordSaleEvent(tx, 'sale.disputed', event);
  await reconsiderApproval(tx, { accountId: sale.accountId, saleId: sale.id, dueAt: Math.max(now, sale.availableAt) });
}

/** The signed amount of the entries that lower what the sale earned. Holds are left out, because they are not final. */
function sumOfReversals(entries: readonly NewEntry[]): number {
  return entries.reduce((sum, { kind, amountMinor }) => (kind === 'reversal' ? sum + amountMinor : sum), 0);
}

/** The scope in which a sale's results are counted: always its own day, whenever they change. */
export function resultOf({ programId, partnerId, linkId, id, createdAt, currency }: OwnedSale) {
  return { programId, partnerId, linkId, id, createdAt, currency };
}

/** What new and stored sales have in common. */
type OwnedSale = Pick<NewSale, keyof NewSale & keyof ReversibleSale>;

/** The owner of the sale's entries. */
export function ownerOf({ id, accountId, programId, partnerId, currency, availableAt, review }: OwnedSale) {
  return { saleId: id, accountId, programId, partnerId, currency, availableAt, isUndecided: review === 'flagged' };
}

/** The note of a reversal: why the sale is reversed in full, or that more was reported than paid; otherwise null. */
export function noteOf(sale: ReversibleSale, { reportedMinor }: Reversal): string | null {
  if (sale.voidedReason !== null) return sale.voidedReason;
  if (sale.review === 'rejected') return 'a self-referral, rejected';
  if (reportedMinor <= sale.grossAmount) return null;
  const [reported, paid] = [reportedMinor, sale.grossAmount].map((amount) => formatMoney(amount, sale.currency));
  return `refunds and lost disputes of ${reported} were reported, more than the ${paid} paid: counted as ${paid}`;
}
