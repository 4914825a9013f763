import type { TraceStep } from '../core/attribution.ts';
import type { Outcome, PaymentReceived } from '../core/facts.ts';
import { withHintsOf } from '../core/same-payment.ts';
import { DAY_MS } from '../core/time.ts';
import { createId } from '../ids.ts';
import { changeOutcome } from '../inbox/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import { attribute } from './attribute.ts';
import { attributeWaitingFor, attributeWaitingForEmail, attributeWaitingForIdentities } from './attribute-waiting.ts';
import { identityKeysOf, learnIdentity } from './identify.ts';
import { addReferences, findJoinedPayment } from './join-payments.ts';
import { clearParkedHints } from './queries/parked-hints.ts';
import { countPayment, insertPayment, type PaymentRow, parkPayment, rememberDelivery } from './queries/payments.ts';
import { type Earned, type ProcessorScope, sell } from './sell.ts';
import { settleWaiting } from './settle-waiting.ts';
import { addParkedHints, completeParked, completeSale, parkedFactOf } from './told-again.ts';

/** The delivery that a fact came with, in the unit of work that stores it. */
export interface DeliveryScope extends ProcessorScope {
  deliveryId: string;
  parkedDays: number;
}

export interface FactOutcome {
  outcome: Outcome;
  reason: string | null;
  saleId: string | null;
}

/** Money arrived by webhook: it becomes a sale, is parked until its customer is known, or is known already. */
export async function receivePayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentReceived,
): Promise<FactOutcome> {
  const joined = await findJoinedPayment(tx, scope, { ...fact, processor: scope.processor });
  const payment = joined?.payment ?? null;
  if (payment?.state === 'counted' && payment.saleId !== null) {
    await completeSale(tx, scope, fact, payment.saleId, scope.deliveryId);
    return { outcome: 'duplicate', reason: `this payment is sale ${payment.saleId} already`, saleId: payment.saleId };
  }
  const parked = parkedFactOf(payment);
  const told = parked === null ? fact : withHintsOf(parked, fact);
  const { match, steps } = await attribute(tx, scope.accountId, scope.processor, told.customer, told.discountCodes);
  if (match)
    return { outcome: 'sale', reason: null, saleId: await count(tx, scope, told, payment, { ...match, steps }) };
  if (payment === null || parked === null) return park(tx, scope, fact, payment, steps);
  await completeParked(tx, scope, payment.id, told, steps);
  return { outcome: 'duplicate', reason: 'this payment is parked already', saleId: null };
}

async function count(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentReceived,
  payment: PaymentRow | null,
  earned: Earned,
): Promise<string> {
  const ids = { saleId: createId('sal'), paymentId: payment?.id ?? createId('pmt') };
  if (payment === null) {
    await insertPayment(tx, { ...newPayment(scope, ids.paymentId, fact), state: 'counted', saleId: ids.saleId });
    const references = fact.references.filter((value) => value !== fact.invoiceId);
    await addReferences(tx, scope.accountId, { ...fact, references, processor: scope.processor }, ids.paymentId);
  } else {
    await countPayment(tx, ids.paymentId, ids.saleId);
    await rememberDelivery(tx, ids.paymentId, scope.deliveryId);
  }
  const buyer = await sell(tx, scope, fact, ids, earned);
  if (payment !== null) {
    await settleWaiting(tx, scope, ids.saleId);
    if (payment.state === 'parked') await clearParkedHints(tx, ids.paymentId);
    await changeOutcome(tx, { ...scope, deliveryId: payment.deliveryId }, 'duplicate', ids.saleId);
  }
  if (buyer.newlyIdentified) {
    await attributeWaitingForIdentities(tx, scope, scope.processor, identityKeysOf(fact.customer));
  }
  if (buyer.newEmail !== null) await attributeWaitingForEmail(tx, scope, buyer.newEmail);
  if (buyer.newExternalId !== null) {
    const { email } = fact.customer;
    await attributeWaitingFor(tx, scope, { id: buyer.id, externalId: buyer.newExternalId, email });
  }
  return ids.saleId;
}

/** Nobody earned it yet: it waits for its customer, with everything that was tried. */
async function park(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentReceived,
  payment: PaymentRow | null,
  steps: TraceStep[],
): Promise<FactOutcome> {
  await learnIdentity(tx, scope.accountId, scope.processor, fact.customer, null);
  const paymentId = payment?.id ?? createId('pmt');
  const parked = {
    deliveryId: scope.deliveryId,
    fact: JSON.stringify(fact),
    steps: JSON.stringify(steps),
    occurredAt: fact.occurredAt,
    expiresAt: scope.now + scope.parkedDays * DAY_MS,
  };
  if (payment === null) {
    await insertPayment(tx, { ...newPayment(scope, paymentId, fact), ...parked, state: 'parked' });
    await addReferences(tx, scope.accountId, { ...fact, processor: scope.processor }, paymentId);
  } else {
    await parkPayment(tx, { id: paymentId, ...parked });
  }
  await addParkedHints(tx, scope, fact, paymentId);
  const tried = steps.map((step) => `${step.step} ${step.value}`).join(', ');
  const reason = tried === '' ? 'the payment names nobody' : `no partner found by ${tried}`;
  return { outcome: 'unattributed', reason: `${reason}; parked until its customer signs up`, saleId: null };
}

function newPayment(scope: DeliveryScope, id: string, fact: PaymentReceived) {
  return {
    id,
    accountId: scope.accountId,
    processor: scope.processor,
    saleId: null,
    deliveryId: scope.deliveryId,
    fact: null,
    steps: null,
    occurredAt: fact.occurredAt,
    expiresAt: null,
    createdAt: scope.now,
  };
}
