import { claimKeys } from '../app/claims.ts';
import type { Fact, PaymentRefunded, PaymentRefundUndone } from '../core/facts.ts';
import type { AccountId, SaleId } from '../core/ids.ts';
import type { FactOutcome } from '../core/outcome.ts';
import { NO_CURRENCY } from '../core/refund-report.ts';
import type { Transaction } from '../storage/database.ts';
import { attributeMerged } from './attribute-merged.ts';
import { requireMergedPayment } from './merge.ts';
import type { Payment } from './queries/payments.ts';
import { findRefundsByKey, type Refund, type RefundReport, removeProcessor } from './queries/refunds.ts';
import type { ReversibleSale } from './queries/reversible-sales.ts';
import { paymentOfReport } from './receive-reversal.ts';
import { type MergedReport, storeRefunds, withReports } from './record-refunds.ts';
import { CurrencyMismatch } from './reported-amounts.ts';
import { getReversibleSale, settleRefunds } from './reverse-sale.ts';
import type { DeliveryScope } from './scope.ts';

export type RefundFact = PaymentRefunded | PaymentRefundUndone;

export function isRefund(fact: Fact): fact is RefundFact {
  return fact.kind === 'payment.refunded' || fact.kind === 'payment.refund_undone';
}

/** A known refund of a sale that is not settled yet: see `settleKnown`. */
export interface KnownRefund {
  unsettled: SaleId;
}

/** Like `refundPayment`. One that cannot be converted fails, and the others count as if each had come alone. */
export async function refundConvertible(
  tx: Transaction,
  scope: DeliveryScope,
  facts: readonly [RefundFact, ...RefundFact[]],
): Promise<(FactOutcome | KnownRefund)[]> {
  try {
    return await refundPayment(tx, scope, facts);
  } catch (error) {
    if (!(error instanceof CurrencyMismatch)) throw error;
    // nothing of them is stored
    return facts.length === 1 ? [failedBecause(error)] : refundEach(tx, scope, facts);
  }
}

/**
 * Stores refunds of one payment, or their failures, and settles its sale after each of them that is new: the result is the
 * same as if each had come alone. Without a sale, they wait for their payment.
 *
 * @param facts with the same references
 * @returns what became of each
 * @throws CurrencyMismatch before anything of them is stored, for a single one, and where `settleRefunds` throws it
 */
export async function refundPayment(
  tx: Transaction,
  scope: DeliveryScope,
  facts: readonly [RefundFact, ...RefundFact[]],
): Promise<(FactOutcome | KnownRefund)[]> {
  const { accountId, processor, now } = scope;
  const named = await attributeMerged(tx, scope, await requireMergedPayment(tx, scope, facts[0]));
  const reports = facts.map((fact) => reportIn(fact, scope, named));
  const refundKeys = reports.map(({ refundKey }) => refundKey);
  await tx.claim(() => refundKeys.map((refundKey) => claimKeys.refund(accountId, refundKey)));
  const findKnown = () => findRefundsByKey(tx, accountId, processor, refundKeys);
  let known = await findKnown();
  let payment = named;
  if (known.some(({ paymentId }) => paymentId !== named.id)) {
    if (facts.length > 1) return refundEach(tx, scope, facts);
    const joined = await paymentOfReport(tx, scope, named, async () => (await findKnown())[0]);
    payment = await attributeMerged(tx, scope, joined);
    known = await findKnown();
  }
  const { id: paymentId, saleId } = payment;
  if (saleId === null) known = await withoutCallers(tx, accountId, known, reports);
  const reported = withReports(
    known,
    reports.map((report) => ({ ...report, paymentId })),
  );
  const isSettling = saleId !== null && reported.some(({ isNew }) => isNew);
  const sale = isSettling ? await getReversibleSale(tx, accountId, saleId) : null;
  const results = sale === null ? NO_RESULTS : await settleRefunds(tx, now, sale, reported);
  const stored = reported.filter((one) => !(results.get(one) instanceof CurrencyMismatch));
  storeRefunds(tx, { accountId, createdAt: now }, known, stored);
  return reported.map((one) => {
    const result = results.get(one);
    if (result === undefined) return outcomeOf(one, saleId, sale);
    if (result === 'changed') return { outcome: 'reversal', reason: null, saleId };
    if (facts.length === 1) throw result;
    return failedBecause(result);
  });
}

function failedBecause({ message, saleId }: CurrencyMismatch): FactOutcome {
  return { outcome: 'failed', reason: message, saleId };
}

/**
 * The known refunds without those that only the caller's backend has reported in another currency than these reports. They
 * stay stored apart: until there is a sale, nobody knows which of the two can be converted.
 */
async function withoutCallers(
  tx: Transaction,
  accountId: AccountId,
  known: readonly Refund[],
  reports: readonly RefundReport[],
): Promise<Refund[]> {
  const kept: Refund[] = [];
  for (const refund of known) {
    // whatever a processor has reported has a delivery
    const isOfCaller = refund.deliveryId === null;
    const isOther = ({ refundKey, amount, currency }: RefundReport) =>
      refundKey === refund.refundKey && amount !== null && currency !== refund.currency;
    const isApart = isOfCaller && reports.some(isOther) && (await removeProcessor(tx, accountId, refund)) === 1;
    if (!isApart) kept.push(refund);
  }
  return kept;
}

const NO_RESULTS: Awaited<ReturnType<typeof settleRefunds>> = new Map();

/** Some of the refunds are known to be of other payments, which may be merged. */
async function refundEach(tx: Transaction, scope: DeliveryScope, facts: readonly RefundFact[]) {
  const results: (FactOutcome | KnownRefund)[] = [];
  for (const fact of facts) results.push(...(await refundConvertible(tx, scope, [fact])));
  return results;
}

/** What became of a refund that reversed nothing. */
function outcomeOf(
  { report, refund, isNew }: MergedReport,
  saleId: SaleId | null,
  sale: ReversibleSale | null,
): FactOutcome | KnownRefund {
  const noted = (reason: string | null) => ({ outcome: 'noted', reason, saleId }) as const;
  if (!isNew && saleId !== null) return { unsettled: saleId };
  if (isNew && report.kind === 'cumulative' && report.amount === 0) return noted(null);
  if (isNew && sale === null) return noted('a refund that waits for its payment');
  if (sale !== null && wasLoweredBefore(sale, report)) return noted(LOWERED_BEFORE);
  if (isNew && refund.refundedAt === null) return noted(RESTORES_NOTHING);
  if (sale !== null && report.lines?.length) return noted(TAKES_NOTHING);
  return { outcome: 'duplicate', reason: 'already known', saleId };
}

const RESTORES_NOTHING = 'a failed refund that restores nothing';

const TAKES_NOTHING = 'reverses nothing: what it returned was added after the payment, or was already reversed';

const LOWERED_BEFORE =
  'changes nothing: the sale was imported without what had been refunded before; if such a refund fails, add an adjustment';

/** True when the sale was imported without what had been refunded, and this may be of it. */
function wasLoweredBefore({ terms, createdAt }: ReversibleSale, { failedAt, occurredAt }: RefundReport): boolean {
  // a failure does not always tell when its refund was made
  const madeAt = failedAt === null ? occurredAt : 0;
  return terms.refundedElsewhere !== undefined && madeAt <= createdAt;
}

/** The report in a fact, with the key that all reports of the refund share. */
function reportIn(fact: RefundFact, { processor, deliveryId }: DeliveryScope, named: Payment): RefundReport {
  const { occurredAt: reportedAt, madeAt: occurredAt = reportedAt } = fact;
  const report = { processor, deliveryId, currency: fact.currency ?? NO_CURRENCY, occurredAt };
  if (fact.kind === 'payment.refund_undone') {
    const { refundId: refundKey, amountMinor: amount, chargeId = null } = fact;
    const amounts = { amount, commissionable: null, lines: [], chargeId, released: null };
    return { ...report, refundKey, kind: 'refund', ...amounts, refundedAt: null, failedAt: reportedAt };
  }
  const { refund, references } = fact;
  const { chargeId = null } = refund;
  const shared = { ...report, chargeId, refundedAt: reportedAt, failedAt: null };
  if ('refundId' in refund) {
    const { refundId: refundKey, amountMinor: amount, commissionableMinor: commissionable = null, lines = [] } = refund;
    return { ...shared, refundKey, kind: 'refund', amount, commissionable, lines, released: null };
  }
  const { cumulativeAmountMinor: amount, releasedMinor: released = null } = refund;
  // a reference of the fact never changes, even when its payment is merged
  const refundKey = `cumulative ${chargeId ?? references[0] ?? named.id} ${amount}`;
  return { ...shared, refundKey, kind: 'cumulative', amount, commissionable: null, lines: [], released };
}
