import { createHmac } from 'node:crypto';

/** The customers whose leads were recorded before the run; deliveries are spread over them. */
export const CUSTOMERS = 200;
/** What every delivery calls its customer. */
export const CUSTOMER_NAME = 'Alex Example';

export function customerOf(n: number): string {
  return `bench_user_${n % CUSTOMERS}`;
}

/** The ids in an `invoice.paid`. */
export interface InvoiceNames {
  event: string;
  invoice: string;
  customer: string;
  /** Null for an invoice without a subscription. */
  subscription: string | null;
  /** Null when the invoice does not list its payment. */
  paymentIntent: string | null;
  /** The caller's own id of the customer. */
  externalId: string;
  email: string | null;
}

/** The id of the invoice in `invoicePaid`. */
export function invoiceOf(n: number, run: string): string {
  return `in_${run}${n}`;
}

/**
 * A renewal's `invoice.paid` of about 2 KB, as a subscription's endpoint receives it; every `n` is a different payment.
 */
export function invoicePaid(n: number, run: string): Buffer {
  return paidInvoice({
    event: `evt_${run}${n}`,
    invoice: invoiceOf(n, run),
    customer: `cus_bench${n % CUSTOMERS}`,
    subscription: `sub_bench${n % CUSTOMERS}`,
    paymentIntent: null,
    externalId: customerOf(n),
    email: `user${n % CUSTOMERS}@example.com`,
  });
}

/** An `invoice.paid` of about 2 KB. */
export function paidInvoice(names: InvoiceNames): Buffer {
  const { customer, subscription, externalId, paymentIntent } = names;
  const metadata = { svcCustomerExternalId: externalId };
  const line = {
    id: names.invoice.replace('in_', 'il_'),
    object: 'line_item',
    amount: 2380,
    currency: 'usd',
    description: '1 × Studio plan (at $20.00 / month)',
    discountable: true,
    discounts: [],
    invoice: names.invoice,
    livemode: true,
    metadata,
    parent:
      subscription === null
        ? null
        : { type: 'subscription_item_details', subscription_item_details: { subscription, proration: false } },
    period: { start: 1_790_000_000, end: 1_792_592_000 },
    quantity: 1,
    taxes: [{ amount: 380, tax_behavior: 'inclusive', taxability_reason: 'standard_rated', taxable_amount: 2000 }],
  };
  const invoice = {
    id: names.invoice,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Example Studio',
    amount_due: 2380,
    amount_paid: 2380,
    amount_remaining: 0,
    amount_shipping: 0,
    attempt_count: 1,
    attempted: true,
    auto_advance: false,
    billing_reason: 'subscription_cycle',
    collection_method: 'charge_automatically',
    created: 1_790_000_000,
    currency: 'usd',
    customer,
    customer_email: names.email,
    customer_name: CUSTOMER_NAME,
    discounts: [],
    lines: {
      object: 'list',
      data: [line],
      has_more: false,
      total_count: 1,
      url: `/v1/invoices/${names.invoice}/lines`,
    },
    livemode: true,
    metadata: subscription === null ? metadata : {},
    number: `EX-${names.invoice}`,
    parent:
      subscription === null ? null : { type: 'subscription_details', subscription_details: { subscription, metadata } },
    payments: paymentIntent === null ? undefined : paymentsOf(paymentIntent),
    status: 'paid',
    status_transitions: { finalized_at: 1_790_000_000, paid_at: 1_790_000_100 },
    subtotal: 2380,
    total: 2380,
    total_excluding_tax: 2000,
    total_taxes: [{ amount: 380, tax_behavior: 'inclusive', type: 'tax_rate_details' }],
  };
  const event = {
    id: names.event,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: 1_790_000_101,
    data: { object: invoice },
    livemode: true,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: 'invoice.paid',
  };
  return Buffer.from(JSON.stringify(event));
}

function paymentsOf(paymentIntent: string) {
  const payment = { type: 'payment_intent', payment_intent: paymentIntent };
  return { object: 'list', data: [{ object: 'invoice_payment', status: 'paid', payment }], has_more: false };
}

/** A whole HTTP request, signed now. */
export function signedRequest(body: Buffer, path: string, secret: string): Buffer {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json; charset=utf-8',
    'User-Agent: Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    `Stripe-Signature: t=${timestamp},v1=${signature}`,
    `Content-Length: ${body.length}`,
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), body]);
}
