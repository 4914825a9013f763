import type { PaymentReceived } from '../core/facts.ts';
import { type AwaitedReport, mergeReports, withAwaited } from '../core/same-payment.ts';
import type { Transaction } from '../storage/database.ts';
import { withoutErased } from './erasure/erased-facts.ts';
import type { Payment } from './queries/payments.ts';
import type { ProcessorScope } from './scope.ts';

/** Adds what was reported about the payment before, except about a person who was erased in the meantime. */
export async function withKnown(
  tx: Transaction,
  scope: ProcessorScope,
  stored: Payment | null,
  reported: PaymentReceived,
): Promise<PaymentReceived> {
  if (stored?.parked) return mergeReports(stored.parked.fact, reported);
  return stored?.awaited ? withAwaitedReport(tx, scope, reported, stored.awaited) : reported;
}

/** Adds what was reported before the payment's money. Erasures do not find that, so erased persons are left out here. */
export async function withAwaitedReport(
  tx: Transaction,
  scope: ProcessorScope,
  payment: PaymentReceived,
  awaited: AwaitedReport,
): Promise<PaymentReceived> {
  const [fact] = await withoutErased(tx, scope, [withAwaited(payment, awaited)]);
  return fact as PaymentReceived;
}

/** The report, with erased persons left out, for a payment that is a sale already. */
export async function withoutErasedPayer(
  tx: Transaction,
  scope: ProcessorScope,
  { announced, customer, ...report }: AwaitedReport,
): Promise<AwaitedReport> {
  const referenced = customer && { kind: 'payment.referenced' as const, references: [], customer };
  const [announcement = null] = await withoutErased(tx, scope, announced === null ? [] : [announced]);
  const [reference] = await withoutErased(tx, scope, referenced === null ? [] : [referenced]);
  return { ...report, announced: announcement, customer: reference?.customer ?? null };
}
