import type { CustomerHints } from '../../src/core/facts.ts';
import { distinct } from '../contract/readers.ts';
import { customerHints, identified, paidBy, referenced } from './customer-hints.ts';
import { about, factsOrReason, unknown } from './event.ts';
import { moneyOf } from './money.ts';
import { type Charge, chargeSchema } from './payload.ts';

/** `charge.succeeded`: never a sale by itself; it may name the invoice it paid and the customer. */
export const chargeSucceeded = about(chargeSchema, (charge, event) => {
  const references = chargeReferences(charge);
  const customer = chargeCustomer(charge);
  const payer = paidBy(customer, references);
  const names = charge.invoice === null || payer.length > 0 ? payer : referenced(references);
  const reason = `Charge ${charge.id} is not counted by itself: its session or invoice is`;
  return factsOrReason([...names, ...identified(customer, event.occurredAt)], reason);
});

/**
 * `charge.refunded`: the total refunded on the charge so far. `refund.*` reports the same refund by its id; the refund
 * counts once. The total already includes pending refunds; `refund.failed` takes them out again.
 */
export const chargeRefunded = about(chargeSchema, (charge, event) => {
  const customer = chargeCustomer(charge);
  const identity = [...paidBy(customer, chargeReferences(charge)), ...identified(customer, event.occurredAt)];
  if (charge.amount_refunded === 0) return factsOrReason(identity, `Nothing of charge ${charge.id} is refunded`);
  const money = moneyOf(charge.amount_refunded, charge.currency);
  if ('problem' in money) return unknown(`${event.type}: ${money.problem}`);
  return {
    kind: 'facts',
    facts: [
      {
        kind: 'payment.refunded',
        references: chargeReferences(charge),
        refund: { cumulativeAmountMinor: money.amountMinor },
        currency: money.unit.currency,
        occurredAt: event.occurredAt,
      },
      ...identity,
    ],
  };
});

function chargeReferences(charge: Charge): string[] {
  return distinct([charge.invoice, charge.payment_intent, charge.id]);
}

function chargeCustomer(charge: Charge): CustomerHints {
  return customerHints({
    customer: charge.customer,
    customer_account: charge.customer_account,
    metadata: [{ place: 'charge.metadata', metadata: charge.metadata }],
    emails: [charge.billing_details?.email, charge.receipt_email],
    names: [charge.billing_details?.name],
  });
}
