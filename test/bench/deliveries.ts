import { createHmac } from 'node:crypto';

/** The customers that leads were recorded for before the run; deliveries are spread over them. */
export const CUSTOMERS = 200;

export function customerOf(n: number): string {
  return `bench_user_${n % CUSTOMERS}`;
}

/** A renewal's `invoice.paid` of about 2 KB, as a subscription's endpoint receives it; every `n` is another payment. */
export function invoicePaid(n: number, run: string): Buffer {
  const customer = `cus_bench${n % CUSTOMERS}`;
  const subscription = `sub_bench${n % CUSTOMERS}`;
  const line = {
    id: `il_${run}${n}`,
    object: 'line_item',
    amount: 2380,
    currency: 'usd',
    description: '1 × Studio plan (at $20.00 / month)',
    discountable: true,
    discounts: [],
    invoice: `in_${run}${n}`,
    livemode: true,
    metadata: { svcCustomerExternalId: customerOf(n) },
    parent: { type: 'subscription_item_details', subscription_item_details: { subscription, proration: false } },
    period: { start: 1_790_000_000, end: 1_792_592_000 },
    quantity: 1,
    taxes: [{ amount: 380, tax_behavior: 'inclusive', taxability_reason: 'standard_rated', taxable_amount: 2000 }],
  };
  const invoice = {
    id: `in_${run}${n}`,
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
    customer_email: `user${n % CUSTOMERS}@example.com`,
    customer_name: `User ${n % CUSTOMERS} Example`,
    discounts: [],
    lines: { object: 'list', data: [line], has_more: false, total_count: 1, url: `/v1/invoices/in_${run}${n}/lines` },
    livemode: true,
    metadata: {},
    number: `EX-${n}`,
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription, metadata: { svcCustomerExternalId: customerOf(n) } },
    },
    status: 'paid',
    status_transitions: { finalized_at: 1_790_000_000, paid_at: 1_790_000_100 },
    subtotal: 2380,
    total: 2380,
    total_excluding_tax: 2000,
    total_taxes: [{ amount: 380, tax_behavior: 'inclusive', type: 'tax_rate_details' }],
  };
  const event = {
    id: `evt_${run}${n}`,
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

/** A whole HTTP request, signed at this moment. */
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
