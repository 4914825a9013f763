import type { CustomerHints } from '../../src/core/facts.ts';
import { distinct } from '../contract/readers.ts';
import { customerHints, identified, referenced } from './customer.ts';
import { about, factsOrReason, unknown } from './event.ts';
import { moneyOf } from './money.ts';
import { type Charge, chargeSchema } from './payload.ts';

/** `charge.succeeded`: never a sale by itself; it may say which invoice it paid, and who paid. */
export const chargeSucceeded = about(chargeSchema, (charge, event) => {
  const names = charge.invoice === null ? [] : referenced(chargeReferences(charge));
  const reason = `Charge ${charge.id} is not counted by itself: its session or invoice is`;
  return factsOrReason([...names, ...identified(chargeCustomer(charge), event.occurredAt)], reason);
});

/**
 * `charge.refunded`: all that was refunded of the charge so far. The same refund also comes by its id, as `refund.*`;
 * both families count once. A refund that is still pending is in the sum already, and leaves it through `refund.failed`.
 */
export const chargeRefunded = about(chargeSchema, (charge, event) => {
  const identity = identified(chargeCustomer(charge), event.occurredAt);
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
