import type { CustomerHints, Interpretation } from '../../src/core/facts.ts';
import { multiplyRatio } from '../../src/core/money.ts';
import { facts, ignored, unknown } from '../contract/interpretations.ts';
import { distinct } from '../contract/readers.ts';
import { customerHints, identified } from './customer-hints.ts';
import { discountCodesOf } from './discount-codes.ts';
import { about, factsOrReason, type StripeEvent } from './event.ts';
import { ofInvoice } from './paid-invoice.ts';
import { type Invoice, invoicePaymentSchema, invoiceSchema } from './payload.ts';
import { paymentReceived } from './payment-received.ts';

/** Billing reasons of a subscription's first invoice; every other invoice of a subscription is recurring. */
const FIRST_OF_SUBSCRIPTION = new Set(['subscription_create', 'quote_accept']);

/** Billing reasons that only a subscription's later invoices have, whether or not the invoice names it. */
const LATER_OF_SUBSCRIPTION = new Set(['subscription_cycle', 'subscription_update', 'subscription_threshold']);

/**
 * `invoice.paid` and `invoice.payment_succeeded`: the sale of a subscription's first payment, renewal, upgrade or
 * usage, or of a manual invoice. Both events name the same invoice, so it counts once, and not before it is paid.
 */
export const invoicePaid = about(invoiceSchema, (invoice, event) => {
  const customer = invoiceCustomer(invoice);
  const remaining = invoice.amount_remaining ?? 0;
  if (event.type === 'invoice.payment_succeeded' && remaining > 0) {
    const reason = `Invoice ${invoice.id} is paid in part: it counts with invoice.paid, when ${remaining} more are paid`;
    return factsOrReason(identified(customer, event.occurredAt), reason);
  }
  if (paysEarlierDebtOnly(invoice)) {
    const reason = `Invoice ${invoice.id} sold nothing: what was paid settles an earlier balance of its customer`;
    return factsOrReason(identified(customer, event.occurredAt), reason);
  }
  if (paidOn(invoice) > 0) return paidInvoice(invoice, customer, event);
  const reason = `Nothing was paid on invoice ${invoice.id}: a trial, a discount of 100 % or credit covers it`;
  return factsOrReason(identified(customer, event.occurredAt, codesOf(invoice)), reason);
});

/**
 * `invoice_payment.paid`: since 2025-03-31.basil, the only event that links a payment intent to its invoice. An intent may
 * pay several invoices (https://docs.stripe.com/api/invoice-payment/object, `amount_paid`).
 */
export const invoicePaymentPaid = about(invoicePaymentSchema, ({ invoice, payment }, event) => {
  const references = distinct([invoice, payment.payment_intent, payment.charge]);
  if (invoice !== null && references.length > 1) {
    return facts([{ kind: 'payment.referenced', references, ...ofInvoice(invoice) }]);
  }
  return ignored(`${event.type} names no payment intent: the invoice was paid outside of Stripe`);
});

/** Until 2025-03-31.basil, `amount_paid` leaves out what was paid outside of Stripe, which paid all that remained. */
function paidOn({ amount_paid: paid, amount_remaining: remaining, paid_out_of_band: isOutside }: Invoice): number {
  return isOutside ? paid + Math.max(0, remaining ?? 0) : paid;
}

/** The debt of an earlier balance is no sale of this invoice, which shows neither what was sold then nor its tax. */
function paysEarlierDebtOnly(invoice: Invoice): boolean {
  const { total, starting_balance: owed } = invoice;
  const paid = paidOn(invoice);
  return paid > 0 && total <= 0 && paid <= total + (owed ?? 0);
}

function paidInvoice(invoice: Invoice, customer: CustomerHints, event: StripeEvent): Interpretation {
  const { total } = invoice;
  const gross = paidOn(invoice);
  // below 0 where a credit for unused time gives back more tax than is due, as for somebody who pays none any more
  const tax = Math.max(0, taxOf(invoice));
  const shipping = shippingOf(invoice);
  const full = { net: total - tax - shipping, tax, shipping };
  if (total <= 0 || full.net < 0 || full.shipping < 0) {
    const parts = `${full.tax} tax and ${full.shipping} shipping of a total of ${total}`;
    return unknown(`${event.type}: ${gross} were paid, with ${parts}, which is impossible`);
  }
  // A credit balance may cover part of the total: scale net, tax and shipping by the share that was paid.
  const paidShare = (amount: number) => multiplyRatio(amount, gross, total);
  const others = otherReferences(invoice);
  return paymentReceived(event, {
    currency: invoice.currency,
    gross,
    net: paidShare(full.net),
    tax: paidShare(full.tax),
    shipping: paidShare(full.shipping),
    references: [invoice.id, ...others],
    ...ofInvoice(others.length === 0 ? null : invoice.id),
    recurring: isRecurring(invoice, customer),
    customer,
    discountCodes: codesOf(invoice),
    occurredAt: paidAt(invoice) ?? event.occurredAt,
  });
}

function isRecurring({ billing_reason: reason }: Invoice, { subscriptionId }: CustomerHints): boolean {
  if (LATER_OF_SUBSCRIPTION.has(reason ?? '')) return true;
  return subscriptionId !== null && !FIRST_OF_SUBSCRIPTION.has(reason ?? '');
}

function codesOf({ discounts, discount }: Invoice): string[] {
  return discountCodesOf(discounts, discount);
}

function taxOf(invoice: Invoice): number {
  const { total, total_excluding_tax: excluding, total_taxes: taxes, total_tax_amounts: olderTaxes, tax } = invoice;
  if (typeof excluding === 'number') return total - excluding;
  const list = [taxes, olderTaxes].find((one) => one && one.length > 0);
  // an older invoice may state its tax without listing it
  return list ? list.reduce((sum, part) => sum + part.amount, 0) : (tax ?? 0);
}

/** Excludes the tax on shipping, which is part of the invoice's tax. */
function shippingOf(invoice: Invoice): number {
  const cost = invoice.shipping_cost;
  return cost ? cost.amount_total - (cost.amount_tax ?? 0) : 0;
}

function otherReferences(invoice: Invoice): string[] {
  const payments = invoice.payments?.data.flatMap(({ payment }) => [payment.payment_intent, payment.charge]) ?? [];
  const references = distinct([invoice.payment_intent, invoice.charge, ...payments]);
  return references.filter((reference) => reference !== invoice.id);
}

function paidAt(invoice: Invoice): number | null {
  const seconds = invoice.status_transitions?.paid_at ?? null;
  return seconds === null ? null : seconds * 1000;
}

function invoiceCustomer(invoice: Invoice): CustomerHints {
  const details = invoice.parent?.subscription_details;
  const lines = invoice.lines?.data ?? [];
  return customerHints({
    customer: invoice.customer,
    customer_account: invoice.customer_account,
    subscription: details?.subscription ?? invoice.subscription,
    metadata: [
      { place: 'invoice.parent.subscription_details.metadata', metadata: details?.metadata },
      { place: 'invoice.subscription_details.metadata', metadata: invoice.subscription_details?.metadata },
      { place: 'invoice.metadata', metadata: invoice.metadata },
      ...lines.map(({ metadata }, index) => ({ place: `invoice.lines.data[${index}].metadata`, metadata })),
    ],
    emails: [invoice.customer_email],
    names: [invoice.customer_name],
  });
}
