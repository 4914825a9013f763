import type { PaymentReceived } from './facts.ts';
import { multiplyRatio } from './money.ts';

/**
 * The payment in `currency` if that is the shopper's; the shop's total is then its `presentment`. Otherwise unchanged. The
 * caller's backend may report a sale in either currency, and refunds and disputes may be in both.
 */
export function paymentIn(currency: string, payment: PaymentReceived): PaymentReceived {
  const { presentment, grossMinor: shopMinor } = payment;
  if (currency === payment.currency || presentment?.currency !== currency) return payment;
  const share = (amountMinor: number) => multiplyRatio(amountMinor, presentment.grossMinor, shopMinor);
  return {
    ...payment,
    currency,
    grossMinor: presentment.grossMinor,
    netMinor: share(payment.netMinor),
    taxMinor: share(payment.taxMinor),
    shippingMinor: share(payment.shippingMinor),
    presentment: { currency: payment.currency, grossMinor: shopMinor },
  };
}
