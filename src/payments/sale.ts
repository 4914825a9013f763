import { claimKeys } from '../app/claims.ts';
import { inOrder } from '../app/in-order.ts';
import type { Service } from '../app/service.ts';
import type { TraceStep } from '../core/attribution.ts';
import type { AccountId } from '../core/ids.ts';
import { validationError } from '../errors.ts';
import { lookAheadToSubscribers } from '../events/subscriptions.ts';
import type { Transaction } from '../storage/database.ts';
import { withoutPerson } from './erasure/erase.ts';
import { withPartnerOf } from './identity/click-owner.ts';
import { asBuyer, bindCustomer } from './identity/customers.ts';
import { requireClick } from './identity/require-click.ts';
import { claimsOfPerson, logLeftOut, profileOf } from './identity/tracked-person.ts';
import { paidTotalOf } from './paid-total.ts';
import { type CustomerRow, findCustomer, findKnownPerson } from './queries/customers.ts';
import type { Owner } from './queries/owners.ts';
import type { Payment } from './queries/payments.ts';
import { claimInvoicedPayments } from './queries/references.ts';
import { findRefunds } from './queries/refunds.ts';
import type { NewSale } from './queries/sales.ts';
import { reportedPayer } from './record.ts';
import { duplicateInvoice, type Match, type Purchase } from './record-sale.ts';
import type { SaleInput, TrackedSaleResource } from './resources/sale-schemas.ts';
import { sellPayment } from './sell.ts';

/**
 * Records a sale that the caller's backend reports. Its click decides the partner, who for a customer's first click is the
 * one that the customer is bound to; a customer without a lead is created. Takes over a parked payment with the same
 * invoice, including its time, references and waiting refunds.
 *
 * @throws ServiceError `INVALID_CLICK_ID`, `DUPLICATE_INVOICE`, `VALIDATION_ERROR`; nothing is stored then
 */
export async function trackSale(
  service: Service,
  accountId: AccountId,
  reported: SaleInput,
): Promise<TrackedSaleResource> {
  const { clickId, customerExternalId: externalId, invoiceId } = reported;
  const scope = { accountId, now: service.clock() };
  logLeftOut(service, accountId, reported);
  return service.database.write(async (tx) => {
    const keys = claimsOfPerson(accountId, reported);
    await tx.claim(() => (invoiceId === null ? keys : [...keys, claimKeys.reference(accountId, invoiceId)]));
    const [owner, stored, { customer: known, isErased }] = await inOrder(
      requireClick(tx, accountId, clickId),
      invoiceId === null ? null : findUnsold(tx, accountId, { invoiceId, currency: reported.currency }),
      findKnownPerson(tx, accountId, externalId),
      lookAheadToSubscribers(tx, accountId),
    );
    const input = isErased ? withoutPerson(reported) : reported;
    const named = { externalId, owner, profile: profileOf(input), update: 'fill' } as const;
    const bound = await bindCustomer(tx, scope, named, known);
    const { customer } = bound;
    const seller = customer.clickId === clickId ? await withPartnerOf(tx, accountId, owner, customer) : owner;
    const { sale, backfill } = await sellPayment(tx, scope, {
      stored,
      newReferences: stored === null || invoiceId === null ? [] : [invoiceId],
      deliveryId: null,
      earlierOutcome: 'duplicate',
      purchase: purchaseOf(input, stored, scope.now),
      buyer: asBuyer(bound, input.customerEmail),
      match: matchOf(input, seller, customer),
      identification: reportedPayer(stored),
    });
    const current = backfill.changedProfiles ? await findCustomer(tx, accountId, externalId) : customer;
    return trackedSaleOf(sale, current ?? customer);
  });
}

/** The status is always `pending`, as for any new sale. */
export function trackedSaleOf(
  sale: NewSale,
  { externalId, email, name }: Pick<CustomerRow, 'externalId' | 'email' | 'name'>,
): TrackedSaleResource {
  return {
    eventName: sale.eventName,
    customer: { externalId, email, name },
    sale: {
      id: sale.id,
      amount: sale.amount,
      currency: sale.currency,
      commissionAmount: sale.commissionAmount,
      status: 'pending',
      invoiceId: sale.invoiceId,
      paymentProcessor: sale.paymentProcessor,
    },
  };
}

/**
 * The parked or awaited payment with this invoice, which the API sale takes over.
 *
 * @throws ServiceError `DUPLICATE_INVOICE` when it is already a sale; `VALIDATION_ERROR` when the currency differs from
 * that of refunds that the caller has reported
 */
export async function findUnsold(
  tx: Transaction,
  accountId: AccountId,
  { invoiceId, currency }: { invoiceId: string; currency: string },
): Promise<Payment | null> {
  const payments = await claimInvoicedPayments(tx, accountId, invoiceId);
  if (payments.some((payment) => payment.state === 'counted')) throw duplicateInvoice(invoiceId);
  const parked = payments.find((payment) => payment.state === 'parked');
  if (parked) await requireCurrencyOfRefunds(tx, parked, currency);
  return parked ?? payments[0] ?? null;
}

/**
 * A waiting refund is in the currency of its parked payment. Unlike a refund from a webhook, it has no delivery that
 * could fail and be retried when the sale turns out to be in a currency to which it cannot be converted.
 */
async function requireCurrencyOfRefunds(tx: Transaction, { id }: Payment, currency: string): Promise<void> {
  const refunds = await findRefunds(tx, id);
  const other = refunds.find((refund) => refund.deliveryId === null && refund.currency !== currency);
  if (!other) return;
  const refund = `refund ${JSON.stringify(other.refundKey)} of this invoice is recorded in ${other.currency}`;
  throw validationError([{ path: 'currency', message: `is ${currency}, but ${refund}: report both in one currency` }]);
}

/**
 * The caller's amount is the base of the commission. It is also the gross amount until a processor reports one. A
 * payment that was reported before, by a processor or the caller, keeps its time.
 *
 * @param stored what is known of the same payment
 */
function purchaseOf(input: SaleInput, stored: Payment | null, now: number): Purchase {
  const { currency, amount } = input;
  return {
    eventName: input.eventName,
    invoiceId: input.invoiceId,
    processor: input.paymentProcessor,
    netMinor: amount,
    currency,
    ...paidTotalOf(stored, { currency, netMinor: amount, grossMinor: amount }),
    isOrder: true,
    payerEmail: input.customerEmail,
    metadata: input.metadata,
    occurredAt: stored?.parked?.fact.occurredAt ?? stored?.awaited?.captured?.occurredAt ?? now,
  };
}

/** The sale's click decides. A different first click of the customer is noted in the trace. */
function matchOf({ clickId, customerExternalId }: SaleInput, owner: Owner, customer: CustomerRow): Match {
  const clickStep: TraceStep = {
    step: 'click_id',
    value: clickId,
    result: 'matched',
    reason: `the click given with the sale: link ${owner.linkId}, partner ${owner.partnerId}`,
  };
  const steps = [clickStep];
  if (customer.clickId !== clickId) {
    const first = customer.clickId === null ? 'no click' : `click ${customer.clickId}`;
    const reason = `the customer came through ${first} of partner ${customer.partnerId}; the given click decides`;
    steps.push({ step: 'customer', value: customerExternalId, result: 'noted', reason });
  }
  return { owner, matchedBy: 'click_id', steps };
}
