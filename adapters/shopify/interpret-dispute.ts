import type { Interpretation, PaymentDisputed } from '../../src/core/facts.ts';
import { currencyExponent, decimalToMinor } from '../../src/core/money.ts';
import { facts, ignored, noted, unknown } from '../contract/interpretations.ts';
import { type Dispute, globalIdOf } from './payload.ts';

/** https://shopify.dev/docs/api/admin-graphql/2026-10/enums/DisputeStatus, in lower case as in webhooks. */
const STATE_BY_STATUS: ReadonlyMap<string, PaymentDisputed['state']> = new Map([
  ['needs_response', 'open'],
  ['under_review', 'open'],
  ['accepted', 'lost'],
  ['lost', 'lost'],
  ['won', 'won'],
  // ended without a chargeback; any repayment arrives as a refund
  ['prevented', 'won'],
  ['charge_refunded', 'won'],
]);

/** `disputes/create` and `disputes/update` (Shopify Payments only). An inquiry moves no money. */
export function interpretDispute(dispute: Dispute): Interpretation {
  if (dispute.type === 'inquiry') {
    return noted(`inquiry ${dispute.id} is ${dispute.status}; no money moved`);
  }
  const state = STATE_BY_STATUS.get(dispute.status);
  if (dispute.type !== 'chargeback' || state === undefined) {
    const met = JSON.stringify([dispute.type, dispute.status]);
    return unknown(`Unknown type or status of a dispute: ${met}`);
  }
  if (!dispute.order_id) return ignored(`Dispute ${dispute.id} names no order`);
  const { currency } = dispute;
  const amountMinor = decimalToMinor(dispute.amount, currencyExponent(currency) ?? 0);
  if (amountMinor === null) return unknown('The amount of the dispute cannot be read');
  const fact: PaymentDisputed = {
    kind: 'payment.disputed',
    references: [globalIdOf('Order', dispute.order_id)],
    disputeId: dispute.id,
    amountMinor,
    currency,
    state,
    occurredAt: Date.parse(state === 'open' ? dispute.initiated_at : (dispute.finalized_on ?? dispute.initiated_at)),
  };
  return facts([fact]);
}
