import { readFileSync } from 'node:fs';
import { findFixture } from '../../fixtures.ts';
import { applyOverrides, parseOverride } from '../../replay/overrides.ts';
import type { PlannedCustomer } from './plan.ts';

/** Changes to an example event (`path` → text or JSON). */
type Changes = Readonly<Record<string, string | number>>;

const examples = new Map<string, { file: string; body: Buffer }>();

/** The ids of one payment of one customer, as Stripe would assign them. */
function namesOf({ number }: PlannedCustomer, month: number) {
  const suffix = `${String(number).padStart(5, '0')}m${month}`;
  return {
    invoice: `in_1Fern${suffix}`,
    intent: `pi_3Fern${suffix}`,
    charge: `ch_3Fern${suffix}`,
    dispute: `du_1Fern${suffix}`,
    suffix,
  };
}

export function paidInvoice(customer: PlannedCustomer, month: number, at: number): Buffer {
  const { invoice, suffix } = namesOf(customer, month);
  const metadata = JSON.stringify({ svcCustomerExternalId: customer.externalId });
  return example('invoice.paid--renewal', at, {
    id: `evt_1paid${suffix}`,
    'data.object.id': invoice,
    'data.object.billing_reason': month === 0 ? 'subscription_create' : 'subscription_cycle',
    'data.object.customer': `cus_Fern${customer.number}`,
    'data.object.customer_email': customer.email,
    'data.object.customer_name': customer.name,
    'data.object.number': `FERN-${suffix}`,
    'data.object.status_transitions.paid_at': seconds(at),
    'data.object.parent.subscription_details.metadata': metadata,
    'data.object.parent.subscription_details.subscription': `sub_Fern${customer.number}`,
    'data.object.lines.data.0.metadata': metadata,
    'data.object.lines.data.0.description': '1 × Fern Pro',
    'data.object.lines.data.0.parent.subscription_item_details.subscription': `sub_Fern${customer.number}`,
  });
}

/** Connects a payment with an invoice, so that a refund or dispute can refer to it. */
export function linkedPayment(customer: PlannedCustomer, month: number, at: number): Buffer {
  const { invoice, intent, suffix } = namesOf(customer, month);
  return example('invoice_payment.paid--renewal', at, {
    id: `evt_1linked${suffix}`,
    'data.object.id': `inpay_1Fern${suffix}`,
    'data.object.invoice': invoice,
    'data.object.payment.payment_intent': intent,
    'data.object.status_transitions.paid_at': seconds(at),
  });
}

/** A part of the payment is refunded. */
export function refundedCharge(customer: PlannedCustomer, month: number, at: number, currency = 'usd'): Buffer {
  const { intent, charge, suffix } = namesOf(customer, month);
  return example('charge.refunded--partial', at, {
    id: `evt_1refund${suffix}`,
    'data.object.id': charge,
    'data.object.payment_intent': intent,
    'data.object.customer': `cus_Fern${customer.number}`,
    'data.object.billing_details.email': customer.email,
    'data.object.billing_details.name': customer.name,
    'data.object.currency': currency,
  });
}

/** The buyer's bank opens a dispute, or decides it for the buyer. */
export function disputedCharge(customer: PlannedCustomer, month: number, at: number, isLost: boolean): Buffer {
  const { intent, charge, dispute, suffix } = namesOf(customer, month);
  return example(isLost ? 'charge.dispute.closed--lost' : 'charge.dispute.created', at, {
    id: `evt_1${isLost ? 'lost' : 'dispute'}${suffix}`,
    'data.object.id': dispute,
    'data.object.charge': charge,
    'data.object.payment_intent': intent,
  });
}

/** Somebody pays, and nothing in the event connects them to a partner: the checkout omitted the metadata. */
export function strangersInvoice(number: number, at: number, { name, email }: { name: string; email: string }): Buffer {
  return example('invoice.paid--renewal', at, {
    id: `evt_1stranger${number}`,
    'data.object.id': `in_1Stranger${number}`,
    'data.object.customer': `cus_Stranger${number}`,
    'data.object.customer_email': email,
    'data.object.customer_name': name,
    'data.object.status_transitions.paid_at': seconds(at),
    'data.object.parent.subscription_details.metadata': '{}',
    'data.object.parent.subscription_details.subscription': `sub_Stranger${number}`,
    'data.object.lines.data.0.metadata': '{}',
    'data.object.lines.data.0.parent.subscription_item_details.subscription': `sub_Stranger${number}`,
  });
}

function example(name: string, at: number, changes: Changes): Buffer {
  const { file, body } = exampleOf(name);
  const overrides = Object.entries({ created: seconds(at), 'data.object.created': seconds(at), ...changes }).map(
    ([path, value]) => parseOverride(`${path}=${value}`),
  );
  return applyOverrides(
    body,
    overrides.filter((override) => override !== null),
    { n: 1, round: 1, run: '' },
    file,
  );
}

function exampleOf(name: string): { file: string; body: Buffer } {
  const known = examples.get(name);
  if (known !== undefined) return known;
  const [event = name, variant] = name.split('--');
  const file = findFixture('stripe', event, variant);
  const read = { file, body: readFileSync(file) };
  examples.set(name, read);
  return read;
}

function seconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}
