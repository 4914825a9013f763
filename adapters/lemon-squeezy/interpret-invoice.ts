import type { Interpretation } from '../../src/core/facts.ts';
import { identifiedFact } from '../contract/identified.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import { distinct } from '../contract/readers.ts';
import { personHints } from './customer-hints.ts';
import { interpretRefunded } from './interpret-refund.ts';
import { isInMinorUnits, unitUnknown } from './money.ts';
import type { Invoice } from './payload.ts';
import { orderIdentifierIn, referenceOf } from './references.ts';

const PAID_STATUSES: ReadonlySet<string> = new Set(['paid', 'partial_refund', 'refunded']);
const REASONS: ReadonlySet<string> = new Set(['initial', 'renewal', 'updated']);

/**
 * `subscription_payment_success`, and `subscription_payment_recovered`, which accompanies it after failed payments; by
 * billing reason
 * - `initial`: the payment of the subscription's first order; it is linked to that order and does not count again
 * - `renewal`, `updated`: a sale; if nothing was charged, identity and a note
 */
export function interpretPaidInvoice(id: string, invoice: Invoice, customData: unknown): Interpretation {
  const { status, billing_reason: reason, subscription_id: subscriptionId, currency, total, tax } = invoice;
  if (!PAID_STATUSES.has(status)) {
    return unknown(`Invoice ${id} arrived as paid with the status ${status}`);
  }
  if (!REASONS.has(reason)) {
    return unknown(`Unknown billing_reason ${reason} of invoice ${id}`);
  }
  const customer = personHints(invoice, subscriptionId, customData);
  const occurredAt = invoice.updated_at;
  if (reason === 'initial') {
    const what = `invoice ${id} is the first of subscription ${subscriptionId}: its order counts`;
    return facts([
      { kind: 'payment.referenced', references: referencesOf(id, invoice) },
      identifiedFact(customer, occurredAt),
      { kind: 'noted', what },
    ]);
  }
  if (total === 0) {
    return facts([
      identifiedFact(customer, occurredAt),
      { kind: 'noted', what: `invoice ${id} charged nothing (${reason})` },
    ]);
  }
  if (!isInMinorUnits(total, invoice.total_formatted, currency)) {
    return unitUnknown('subscription_payment_success', currency);
  }
  const [invoiceId = referenceOf.invoice(id), ...others] = referencesOf(id, invoice);
  return facts([
    {
      kind: 'payment.received',
      references: [invoiceId, ...others],
      invoiceId,
      grossMinor: total,
      netMinor: total - tax,
      taxMinor: tax,
      shippingMinor: 0,
      currency,
      presentment: null,
      recurring: true,
      customer,
      discountCodes: [],
      occurredAt,
    },
  ]);
}

/** `subscription_payment_refunded`: the total refunded on the invoice so far. */
export function interpretRefundedInvoice(id: string, invoice: Invoice): Interpretation {
  return interpretRefunded(`invoice ${id}`, 'subscription_payment_refunded', invoice, referencesOf(id, invoice));
}

/** `subscription_payment_failed`: Lemon Squeezy retries, and `subscription_payment_success` reports the payment. */
export function interpretFailedInvoice(id: string, invoice: Invoice, customData: unknown): Interpretation {
  const customer = personHints(invoice, invoice.subscription_id, customData);
  return facts([
    identifiedFact(customer, invoice.updated_at),
    { kind: 'noted', what: `invoice ${id} could not be paid (${invoice.status})` },
  ]);
}

/** A subscription's first invoice is its order's payment, so it gets both references that lead to the order. */
function referencesOf(id: string, invoice: Invoice): string[] {
  if (invoice.billing_reason !== 'initial') return [referenceOf.invoice(id)];
  return distinct([
    referenceOf.invoice(id),
    referenceOf.firstOf(invoice.subscription_id),
    orderIdentifierIn(invoice.urls?.invoice_url),
  ]);
}
