import type { PaymentAnnounced, PaymentCaptured, PaymentReferenced } from '../core/facts.ts';
import { identityKeysOf } from '../core/identity.ts';
import type { FactOutcome } from '../core/outcome.ts';
import { isExpired } from '../core/payment.ts';
import {
  type Capture,
  captureAnnounced,
  mergeAwaited,
  withCaptured,
  withHintsOf,
  withReferenced,
} from '../core/same-payment.ts';
import type { Transaction } from '../storage/database.ts';
import { captureSale } from './adopt-capture.ts';
import { attributeMerged, type Joined } from './attribute-merged.ts';
import { attributeParked } from './backfill.ts';
import { updateExpired } from './expired.ts';
import { identifyPayer } from './identify-customer.ts';
import { tellsMore } from './identity/identities.ts';
import { learnPayer } from './learn-payer.ts';
import { requireMergedPayment } from './merge.ts';
import { mergeIntoSale } from './merge-into-sale.ts';
import { updateParkedPayment } from './park.ts';
import { findProcessorIdentities } from './queries/identities.ts';
import type { Payment } from './queries/payments.ts';
import { updateAwaited } from './queries/payments.ts';
import { receiveMergedPayment } from './receive.ts';
import { getReversibleSale } from './reverse-sale.ts';
import type { DeliveryScope } from './scope.ts';

/**
 * Records a payment that is agreed on but not paid. If its money was already captured, the payment is received now. If
 * it was counted from a bare report, the announced amounts replace the bare ones.
 */
export async function announcePayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentAnnounced,
): Promise<FactOutcome> {
  const merged = await requireMergedPayment(tx, scope, fact);
  const { payment } = merged;
  if (payment.saleId !== null) {
    const { saleId } = payment;
    await mergeIntoSale(tx, scope, saleId, { fact, deliveryId: null });
    return { outcome: 'duplicate', reason: `this payment is already sale ${saleId}`, saleId };
  }
  if (payment.parked !== null) {
    const { fact: parked } = payment.parked;
    const capture = { ...parked, amountMinor: parked.grossMinor };
    return updateKnown(tx, scope, merged, withHintsOf(parked, captureAnnounced(fact, capture)));
  }
  const known = mergeAwaited(awaitedOf(payment), { announced: fact, captured: null, customer: null });
  const { captured } = known;
  if (captured?.currency === fact.currency) {
    return receiveMergedPayment(tx, scope, payment, captureAnnounced(fact, captured));
  }
  await updateAwaited(tx, payment.id, known);
  return { outcome: 'noted', reason: 'announced; it counts when its money arrives', saleId: null };
}

/** Receives an announced payment. Without an announcement so far, records that the money arrived. */
export async function capturePayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentCaptured,
): Promise<FactOutcome> {
  const payment = await attributeMerged(tx, scope, await requireMergedPayment(tx, scope, fact));
  const { amountMinor, currency, occurredAt } = fact;
  const captured = { amountMinor, currency, occurredAt };
  if (payment.state !== 'awaited') {
    await captureKnown(tx, scope, payment, captured);
    return { outcome: 'duplicate', reason: 'the money of this payment is already known', saleId: payment.saleId };
  }
  const known = mergeAwaited(awaitedOf(payment), { announced: null, captured, customer: null });
  const { announced } = known;
  if (announced?.currency === currency) {
    return receiveMergedPayment(tx, scope, payment, captureAnnounced(announced, captured));
  }
  await updateAwaited(tx, payment.id, known);
  return { outcome: 'noted', reason: 'not counted by itself: what announces or invoices it is', saleId: null };
}

/** Gives a payment that the caller has reported the total that was captured. */
async function captureKnown(tx: Transaction, scope: DeliveryScope, payment: Payment, captured: Capture): Promise<void> {
  const { id: paymentId, saleId, parked } = payment;
  if (saleId !== null) await captureSale(tx, scope, saleId, captured);
  if (parked === null) return;
  const fact = withCaptured(parked.fact, captured);
  if (fact === parked.fact) return;
  await updateParkedPayment(tx, scope, { paymentId, fact, steps: parked.steps, identities: null });
}

/** Records that references name the same payment, and who paid it, even before the payment itself arrives. */
export async function referencePayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentReferenced,
): Promise<FactOutcome> {
  const { references, customer, discountCodes = [], paidInvoice } = fact;
  const merged = await requireMergedPayment(tx, scope, fact);
  const { payment, changed, mayBeEarned } = merged;
  if (payment.saleId !== null && customer !== undefined) {
    await learnPayer(tx, scope, await getReversibleSale(tx, scope.accountId, payment.saleId), customer);
  }
  const isTelling = customer !== undefined || discountCodes.length > 0;
  // otherwise each of the parked payments that were merged was tried when it was parked: trying again would find nobody
  if (payment.parked !== null && (mayBeEarned || isTelling)) {
    const referenced = customer === undefined ? { discountCodes } : { customer, discountCodes };
    return updateKnown(tx, scope, merged, withReferenced(payment.parked.fact, referenced));
  }
  if (payment.state === 'awaited' && (isTelling || paidInvoice !== undefined)) {
    const invoice = paidInvoice === undefined ? {} : { invoiceId: paidInvoice.id };
    const reported = { announced: null, captured: null, customer: customer ?? null, discountCodes, ...invoice };
    await updateAwaited(tx, payment.id, mergeAwaited(awaitedOf(payment), reported));
    if (customer) return { outcome: 'noted', reason: 'who paid is known before the payment', saleId: null };
  }
  const shared = references.filter((value) => !merged.references.includes(value));
  if (shared.length > 0) {
    const reason = `${shared.join(', ')} paid another invoice, too, to which refunds belong`;
    return { outcome: 'noted', reason, saleId: payment.saleId };
  }
  return changed
    ? { outcome: 'noted', reason: `joined ${references.join(', ')}`, saleId: payment.saleId }
    : { outcome: 'duplicate', reason: 'these references are already joined', saleId: payment.saleId };
}

/** Updates a parked payment with new information, and attributes it if that is now possible and it has not expired. */
async function updateKnown(
  tx: Transaction,
  scope: DeliveryScope,
  { payment, mayBeEarned }: Joined,
  fact: PaymentParked,
): Promise<FactOutcome> {
  if (isExpired(payment, scope.now)) return updateExpired(tx, scope, payment, fact);
  const { id: paymentId, parked } = payment;
  const keys = identityKeysOf(fact.customer);
  const identities = keys.length === 0 ? [] : await findProcessorIdentities(tx, scope, keys);
  await updateParkedPayment(tx, scope, { paymentId, fact, steps: parked?.steps ?? [], identities });
  const saleId = await attributeParked(tx, scope, paymentId);
  if (saleId !== null) return { outcome: 'noted', reason: `attributed ${saleId}`, saleId };
  // what it was merged with is stored with the ids already
  if (mayBeEarned || tellsMore(fact.customer, identities)) await identifyPayer(tx, scope, fact);
  return { outcome: 'noted', reason: 'this payment is parked; more is known about it now', saleId: null };
}

type PaymentParked = NonNullable<Payment['parked']>['fact'];

function awaitedOf({ awaited }: Payment) {
  return awaited ?? { announced: null, captured: null, customer: null };
}
