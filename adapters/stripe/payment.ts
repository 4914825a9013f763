import type { CustomerHints, Interpretation } from '../../src/core/facts.ts';
import { type StripeEvent, unknown } from './event.ts';
import { moneyOf, roundedMinor } from './money.ts';

/** A payment as Stripe counts it: amounts in Stripe's own unit of the currency. */
export interface StripePayment {
  currency: string;
  gross: number;
  net: number;
  tax: number;
  shipping: number;
  /** The strongest name of the payment first: `in_…`, else `pi_…`, else `cs_…`. */
  references: [string, ...string[]];
  recurring: boolean;
  customer: CustomerHints;
  discountCodes: string[];
  occurredAt: number;
}

/** `payment.received` in ISO 4217 minor units; `unknown` for a currency or amounts that make no sense. Takes gross > 0. */
export function paymentReceived(event: StripeEvent, payment: StripePayment): Interpretation {
  const { gross, net, tax, shipping, currency, references, ...rest } = payment;
  const money = moneyOf(gross, currency);
  if ('problem' in money) return unknown(`${event.type}: ${money.problem}`);
  if (tax < 0 || shipping < 0 || net < 0 || net > gross) {
    return unknown(`${event.type}: of ${gross} paid, ${tax} tax and ${shipping} shipping leave ${net}: this cannot be`);
  }
  const { unit, amountMinor } = money;
  return {
    kind: 'facts',
    facts: [
      {
        kind: 'payment.received',
        references,
        invoiceId: references[0],
        grossMinor: amountMinor,
        netMinor: roundedMinor(net, unit),
        taxMinor: roundedMinor(tax, unit),
        shippingMinor: roundedMinor(shipping, unit),
        currency: unit.currency,
        presentment: null,
        ...rest,
      },
    ],
  };
}
