import type { CustomerHints, Interpretation, PaidInvoice, PaymentReceived } from '../../src/core/facts.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import type { StripeEvent } from './event.ts';
import { moneyOf, roundedMinor } from './money.ts';

/** A payment with amounts in Stripe's smallest unit of the currency. */
export interface StripePayment {
  currency: string;
  gross: number;
  net: number;
  tax: number;
  shipping: number;
  /** Strongest reference first: `in_…`, else `pi_…`, else `cs_…`. */
  references: [string, ...string[]];
  /** See `PaymentReceived.paidInvoice`. */
  paidInvoice?: PaidInvoice;
  recurring: boolean;
  customer: CustomerHints;
  discountCodes: string[];
  occurredAt: number;
  /** See `PaymentReceived.isBare`. */
  isBare?: true;
}

/** `payment.received` in ISO 4217 minor units; `unknown` if Stripe does not allow the amount. Requires gross > 0. */
export function paymentReceived(event: StripeEvent, payment: StripePayment): Interpretation {
  const received = paymentOf(payment);
  if ('problem' in received) return unknown(`${event.type}: ${received.problem}`);
  return facts([received]);
}

/** The payment in ISO 4217 minor units, or the reason why Stripe does not allow its amount. */
export function paymentOf(payment: StripePayment): PaymentReceived | { problem: string } {
  const { gross, net, tax, shipping, currency, references, ...rest } = payment;
  const money = moneyOf(gross, currency);
  if ('problem' in money) return money;
  const { unit, amountMinor } = money;
  return {
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
  };
}
