import { inOrder } from '../app/in-order.ts';
import type { AccountId, SaleId } from '../core/ids.ts';
import { entriesFor, type LedgerSums } from '../core/ledger.ts';
import { distinctRefunds } from '../core/refund-report.ts';
import { reconsiderApproval } from '../events/approvals.ts';
import { isAnyWanted } from '../events/subscriptions.ts';
import { failProcessedDelivery } from '../inbox/outcome.ts';
import { type AddedEntry, addEntries, ledgerSumsOf } from '../ledger/entries.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { type AssessedReversal, assessReports, noteOf } from './assess-reversal.ts';
import { deleteDispute, findDisputes } from './queries/disputes.ts';
import { giveWay } from './queries/give-way.ts';
import { deleteRefund, findRefunds, findReportedRefunds } from './queries/refunds.ts';
import { findReversibleSale, type ReversibleSale, updateReversed } from './queries/reversible-sales.ts';
import type { NewSale } from './queries/sales.ts';
import type { MergedReport } from './record-refunds.ts';
import { CurrencyMismatch } from './reported-amounts.ts';
import { RunningAssessment } from './running-assessment.ts';
import { recordSaleEvent, type SaleEventType } from './sale-events.ts';

/** How many refunds may be looked at between two queries. A thousand take a millisecond. */
const LOOKS_PER_TURN = 2_000;

/**
 * Brings a sale's ledger in line with its refunds and disputes. Run it after any of them changed; idempotent. The
 * entries become available together with the sale's commission. Once that is paid, they reduce the next payout, which
 * is queued here.
 *
 * @param sale as stored
 * @param unreported how the unit of work has changed the sale before
 * @returns whether anything changed
 * @throws CurrencyMismatch before anything is written
 */
export async function settleReversals(
  tx: Transaction,
  now: number,
  sale: ReversibleSale,
  unreported: UnreportedChange = null,
): Promise<boolean> {
  const { refunds, disputes, sums } = await findReversals(tx, sale);
  const settlement = settlementOf(sale, sums, assessReports(sale, distinctRefunds(refunds), disputes));
  await writeSettlements(tx, now, [settlement], unreported);
  return isChange(settlement);
}

/**
 * Settles a sale after each of these refunds that is new, as if it had come alone, but reads and writes once for all.
 *
 * @param reported in order, and not stored yet
 * @returns those that changed anything, and those that cannot be converted, which count as if they had not come
 * @throws CurrencyMismatch before anything is written, for a dispute, or if any refund is reported more than once
 */
export async function settleRefunds(
  tx: Transaction,
  now: number,
  sale: ReversibleSale,
  reported: readonly MergedReport[],
): Promise<ReadonlyMap<MergedReport, 'changed' | CurrencyMismatch>> {
  const { refunds, disputes, sums } = await findReversals(tx, sale);
  const assessment = new RunningAssessment(sale, refunds, disputes);
  const isEachOnce = new Set(reported.map(({ refund }) => refund.refundKey)).size === reported.length;
  const results = new Map<MergedReport, 'changed' | CurrencyMismatch>();
  const settlements: Settlement[] = [];
  // they were just read, which takes about as long
  let turnEndsAt = LOOKS_PER_TURN - refunds.length;
  for (const one of reported) {
    if (assessment.lookedAt >= turnEndsAt) {
      await giveWay(tx);
      turnEndsAt = assessment.lookedAt + LOOKS_PER_TURN;
    }
    if (!one.isNew) {
      assessment.put(one.refund);
      continue;
    }
    try {
      const before = settlements.at(-1) ?? { sale, sums };
      const settlement = settlementOf(before.sale, before.sums, assessment.assessWith(one.refund));
      settlements.push(settlement);
      if (isChange(settlement)) results.set(one, 'changed');
    } catch (error) {
      // otherwise another report of this refund was merged with it
      if (!(error instanceof CurrencyMismatch && isEachOnce)) throw error;
      results.set(one, error);
    }
  }
  // an event shows the sale as its refund leaves it
  const isShown = settlements.length > 1 && (await isAnyWanted(tx, sale.accountId, EVENTS));
  for (const part of isShown ? settlements.map((settlement) => [settlement]) : [settlements])
    await writeSettlements(tx, now, part, null);
  return results;
}

/** The events that `writeSettlements` records. */
const EVENTS = ['commission.created', 'sale.refunded', 'sale.disputed', 'sale.updated'] as const;

/** The event of a change that none has reported yet, unless one about a refund or dispute shows it; null for no change. */
type UnreportedChange = 'sale.refunded' | 'sale.updated' | null;

/** What a sale's ledger is settled by; the refunds as reported. */
async function findReversals(tx: Transaction, sale: ReversibleSale) {
  const [refunds, disputes, sums] = await inOrder(
    findReportedRefunds(tx, sale.paymentId),
    findDisputes(tx, sale.paymentId),
    ledgerSumsOf(tx, sale.id),
  );
  return { refunds, disputes, sums };
}

/** How a sale and its ledger become settled. */
interface Settlement {
  before: ReversibleSale;
  entries: AddedEntry[];
  /** Afterwards. */
  sale: ReversibleSale;
  sums: LedgerSums;
  /** True when the sale itself changes, not only its ledger. */
  isOutdated: boolean;
}

function settlementOf(
  before: ReversibleSale,
  sums: LedgerSums,
  { reversal, disputedOpen }: AssessedReversal,
): Settlement {
  const { refundedMinor: refundedAmount, reversedMinor, heldMinor } = reversal;
  const reason = noteOf(before, reversal);
  const entries = entriesFor(sums, reversal).map((entry) => ({ ...entry, reason }));
  return {
    before,
    entries,
    sale: { ...before, refundedAmount, disputedOpen },
    sums: { ...sums, reversalMinor: -reversedMinor, holdMinor: -heldMinor },
    isOutdated: before.refundedAmount !== refundedAmount || before.disputedOpen !== disputedOpen,
  };
}

const isChange = ({ entries, isOutdated }: Settlement) => isOutdated || entries.length > 0;

/** Writes settlements of a sale that follow each other. */
async function writeSettlements(
  tx: Transaction,
  now: number,
  settlements: readonly Settlement[],
  unreported: UnreportedChange,
): Promise<void> {
  const [first, last] = [settlements[0], settlements.at(-1)];
  if (!first || !last) return;
  const { sale } = last;
  const entries = settlements.flatMap((settlement) => settlement.entries);
  if (entries.length > 0) await addEntries(tx, ownerOf(sale), entries, now);
  // holds are left out, because they are not final
  const reversals = entries.filter(({ kind }) => kind === 'reversal');
  const commission = reversals.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  if (reversals.length > 0) countResults(tx, [{ ...resultOf(sale), commission }]);
  const { accountId, id: saleId } = sale;
  const isOutdated = settlements.some((settlement) => settlement.isOutdated);
  if (isOutdated) tx.unawaited(updateReversed(tx, sale));
  const change = unreported ?? (isOutdated || reversals.length > 0 ? 'sale.updated' : null);
  for (const type of eventsOf(first.before, sale, change)) await recordSaleEvent(tx, type, { accountId, saleId, now });
  // if a refund or dispute was undone, the sale may become approved again
  if (isOutdated) await reconsiderApproval(tx, { accountId, saleId, dueAt: Math.max(now, sale.availableAt) });
}

/** A new refund or dispute has an event of its own, which shows all other changes as well. */
function eventsOf(before: ReversibleSale, sale: ReversibleSale, change: UnreportedChange): SaleEventType[] {
  const events: SaleEventType[] = [];
  if (sale.refundedAmount > before.refundedAmount) events.push('sale.refunded');
  if (sale.disputedOpen && !before.disputedOpen) events.push('sale.disputed');
  return events.length > 0 || change === null ? events : [change];
}

/**
 * Like `settleReversals`, for refunds and disputes that arrived before this sale. A refund or dispute in a currency
 * that cannot be converted is deleted and its delivery fails, as if it had arrived after the sale. A refund that only the
 * caller reported stays, and does not count.
 */
export async function settleEarlierReversals(
  tx: Transaction,
  now: number,
  sale: ReversibleSale,
  unreported: UnreportedChange = null,
): Promise<void> {
  for (;;) {
    try {
      await settleReversals(tx, now, sale, unreported);
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

/** What a report changed of a sale that the sale's resource shows. */
export function changeOf(before: ReversibleSale, sale: ReversibleSale): UnreportedChange {
  const isSame = SHOWN.every((member) => before[member] === sale[member]);
  return isSame ? null : 'sale.updated';
}

const SHOWN = ['amount', 'grossAmount', 'commissionAmount', 'occurredAt'] as const;

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
