import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { PaymentReceived } from '../core/facts.ts';
import type { AccountId, PaymentId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { type Attribution, attribute, type PayersMatch } from './attribute.ts';
import { withoutErasedPerson } from './erasure/erase.ts';
import { requireBuyer } from './identity/customers.ts';
import { claimsOfPerson, logLeftOut } from './identity/tracked-person.ts';
import { withKnown } from './known-report.ts';
import { parkPayment, updateParkedPayment } from './park.ts';
import { findCustomer } from './queries/customers.ts';
import { findParkedPayment } from './queries/list-parked.ts';
import type { Payment } from './queries/payments.ts';
import { addReferences } from './queries/references.ts';
import { reportOf } from './record.ts';
import { asParked } from './resources/parked-resource.ts';
import type { ParkedAnswer } from './resources/parked-schemas.ts';
import type { CustomerSaleInput, TrackedSaleResource } from './resources/sale-schemas.ts';
import { findUnsold, trackedSaleOf } from './sale.ts';
import type { ParkingScope } from './scope.ts';
import { sellPayment } from './sell.ts';

/** A payment that the caller reports, merged with what deliveries reported about it, and its possible owner. */
interface ReportedPayment {
  /** Null when nobody has reported the invoice yet. */
  stored: Payment | null;
  fact: PaymentReceived;
  attribution: Attribution;
}

/**
 * Records a sale that the caller's backend reports without a click. What is stored from the customer's lead decides the
 * partner. While no owner is known, the payment is parked like one that a webhook reports. A parked or awaited payment
 * with the same invoice is the same payment, whoever reported it first.
 *
 * @throws ServiceError `DUPLICATE_INVOICE`, `VALIDATION_ERROR`; nothing is stored then
 */
export async function reportSale(
  service: Service,
  accountId: AccountId,
  reported: CustomerSaleInput,
): Promise<TrackedSaleResource | ParkedAnswer> {
  const { invoiceId, paymentProcessor } = reported;
  const { parkedDays } = service;
  const now = service.clock();
  logLeftOut(service, accountId, reported);
  return service.database.write(async (tx) => {
    const keys = claimsOfPerson(accountId, reported);
    await tx.claim(() => (invoiceId === null ? keys : [...keys, claimKeys.reference(accountId, invoiceId)]));
    const input = await withoutErasedPerson(tx, accountId, reported);
    const { currency } = reported;
    const stored = invoiceId === null ? null : await findUnsold(tx, accountId, { invoiceId, currency });
    const processor = stored?.processor ?? paymentProcessor;
    const scope = { accountId, now, processor, deliveryId: null, parkedDays };
    const fact = await withKnown(tx, scope, stored, reportedFact(input, now));
    const attribution = await attribute(tx, scope, fact);
    const payment = { stored, fact, attribution };
    if (attribution.match === null) return park(tx, scope, payment);
    return sell(tx, scope, { ...payment, match: attribution.match }, input);
  });
}

/** The caller's report, as the fact that a processor would have produced. */
function reportedFact(input: CustomerSaleInput, now: number): PaymentReceived {
  const { customerExternalId, customerEmail, customerName, customerAvatar, invoiceId, eventName, metadata } = input;
  return {
    kind: 'payment.received',
    references: invoiceId === null ? [] : [invoiceId],
    invoiceId,
    grossMinor: input.amount,
    netMinor: input.amount,
    taxMinor: 0,
    shippingMinor: 0,
    currency: input.currency,
    presentment: null,
    recurring: false,
    customer: {
      externalIds: [{ value: customerExternalId, place: 'customerExternalId' }],
      clickIds: [],
      processorCustomerId: null,
      subscriptionId: null,
      email: customerEmail?.toLowerCase() ?? null,
      name: customerName,
      ...(customerAvatar === null ? {} : { avatar: customerAvatar }),
    },
    discountCodes: [],
    occurredAt: now,
    order: { eventName, metadata },
  };
}

async function sell(
  tx: Transaction,
  scope: ParkingScope,
  { stored, fact, attribution, match }: ReportedPayment & { match: PayersMatch },
  { customerExternalId, paymentProcessor, invoiceId }: CustomerSaleInput,
): Promise<TrackedSaleResource> {
  const { accountId } = scope;
  const { purchase, identification } = reportOf(scope.processor, fact, attribution.identities);
  const { sale } = await sellPayment(tx, scope, {
    stored,
    newReferences: stored === null || invoiceId === null ? [] : [invoiceId],
    deliveryId: null,
    earlierOutcome: 'duplicate',
    purchase: { ...purchase, processor: paymentProcessor, invoiceId },
    buyer: await requireBuyer(tx, scope, match.owner, match.payer),
    match,
    identification: stored === null ? null : identification,
  });
  // the caller's customer, or the customer that the payment turned out to belong to
  const externalId = match.owner.externalId ?? customerExternalId;
  const customer = await findCustomer(tx, accountId, externalId);
  return trackedSaleOf(sale, customer ?? { externalId, email: null, name: null });
}

async function park(
  tx: Transaction,
  scope: ParkingScope,
  { stored, fact, attribution: { steps, identities } }: ReportedPayment,
): Promise<ParkedAnswer> {
  const unearned = { fact, steps, identities };
  const { accountId, processor } = scope;
  if (stored !== null) await addReferences(tx, accountId, { processor, references: fact.references }, stored.id);
  if (stored?.parked) {
    await updateParkedPayment(tx, scope, { ...unearned, paymentId: stored.id });
    return parkedAnswerOf(tx, accountId, stored.id);
  }
  const paymentId = await parkPayment(tx, scope, { ...unearned, paymentId: stored?.id ?? null });
  return parkedAnswerOf(tx, accountId, paymentId);
}

/** The response for a payment that this unit has just parked or found parked. */
export async function parkedAnswerOf(
  tx: Transaction,
  accountId: AccountId,
  paymentId: PaymentId,
): Promise<ParkedAnswer> {
  const parked = await findParkedPayment(tx, accountId, paymentId);
  if (!parked) throw new Error('The payment was parked but not found');
  return { parkedPayment: asParked(parked) };
}
