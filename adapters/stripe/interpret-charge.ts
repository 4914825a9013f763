import type { CustomerHints, Fact, Noted } from '../../src/core/facts.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import { distinct } from '../contract/readers.ts';
import { customerHints, identified, paidBy, referenced } from './customer-hints.ts';
import { about, factsOrReason } from './event.ts';
import { moneyOf } from './money.ts';
import { type Charge, chargeSchema } from './payload.ts';

/** `charge.succeeded`: never a sale by itself; it may name the invoice it paid and the customer. */
export const chargeSucceeded = about(chargeSchema, (charge, event) => {
  const customer = chargeCustomer(charge);
  const reason = `Charge ${charge.id} is not counted by itself: its session or invoice is`;
  return factsOrReason([...namesOf(charge, customer), ...identified(customer, event.occurredAt)], reason);
});

/**
 * `charge.refunded`: the total refunded on the charge so far. `refund.*` reports the same refund by its id; the refund
 * counts once. The total already includes pending refunds; `refund.failed` takes them out again. What of an authorized
 * amount was released, not refunded, is taken out here. Like all refunds, it names only the charge: a charge may have paid
 * another invoice, too, than the one that it names.
 */
export const chargeRefunded = about(chargeSchema, (charge, event) => {
  const customer = chargeCustomer(charge);
  const names = namesOf(charge, customer);
  const identity = identified(customer, event.occurredAt);
  if (charge.amount_refunded === 0) {
    return factsOrReason([...names, ...identity], `Nothing of charge ${charge.id} is refunded`);
  }
  const uncaptured = releasedOf(charge, event.isBeforeBasil);
  const money = moneyOf(charge.amount_refunded - uncaptured, charge.currency);
  if ('problem' in money) return unknown(`${event.type}: ${money.problem}`);
  const released = moneyOf(uncaptured, charge.currency);
  if ('problem' in released) return unknown(`${event.type}: ${released.problem}`);
  return facts([
    ...names,
    {
      kind: 'payment.refunded',
      references: chargeIds(charge),
      // the id that refunds of this charge have in common: they name the payment intent, if there is one
      refund: {
        cumulativeAmountMinor: money.amountMinor,
        chargeId: charge.payment_intent ?? charge.id,
        ...(uncaptured === 0 ? {} : { releasedMinor: released.amountMinor }),
      },
      currency: money.unit.currency,
      occurredAt: event.occurredAt,
    },
    ...identity,
    ...(money.amountMinor === 0 ? [releaseNoted(charge, uncaptured)] : []),
  ]);
});

/**
 * What of `amount_refunded` was never captured. Until 2025-03-31.basil, the capture of a part refunded the rest of what was
 * authorized (https://docs.stripe.com/changelog/basil/2025-03-31/remove-refund-from-partial-capture-and-payment-cancellation-flow).
 * That depends on the version of the request that captured, which no event tells: the event's own version stands for it,
 * unless the amounts prove that the rest is, or is not, in the total.
 */
function releasedOf({ amount, amount_captured: captured, amount_refunded: refunded }: Charge, isBeforeBasil: boolean) {
  if (!amount || !captured || captured >= amount) return 0;
  const uncaptured = amount - captured;
  const isInTotal = isBeforeBasil ? refunded >= uncaptured : refunded > captured;
  return isInTotal ? uncaptured : 0;
}

function releaseNoted({ id }: Charge, uncaptured: number): Noted {
  return { kind: 'noted', what: `Charge ${id} was captured in part: the ${uncaptured} released is no refund` };
}

/** Which invoice the charge paid, and who paid. It may have paid other invoices, too. */
function namesOf(charge: Charge, customer: CustomerHints): Fact[] {
  const { invoice } = charge;
  const references = distinct([invoice, ...chargeIds(charge)]);
  const payer = paidBy(customer, references, invoice);
  return invoice === null || payer.length > 0 ? payer : referenced(references, invoice);
}

function chargeIds(charge: Charge): string[] {
  return distinct([charge.payment_intent, charge.id]);
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
