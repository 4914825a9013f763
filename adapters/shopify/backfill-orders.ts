import { currencyExponent, decimalToMinor } from '../../src/core/money.ts';
import type { DeliveryRequest } from '../contract/adapter.ts';
import { backfillKey } from '../contract/backfill.ts';
import { isEdited, moneyState } from './interpret-order.ts';
import { interpretRefund } from './interpret-refund.ts';
import { elementsOf, memberOf, withMember } from './json-slices.ts';
import { type Order, SCHEMAS } from './payload.ts';
import { API_VERSION } from './sign.ts';

/**
 * The webhooks that this order has caused and that say something about money or its payer: `orders/paid` or, without a
 * payment, `orders/create`; `refunds/create` for each refund; `orders/updated` when the order explains a refund.
 *
 * @param text the order as the REST Admin API wrote it
 * @param payload the same, parsed as a webhook's body is
 */
export function deliveriesOf(text: string, payload: Record<string, unknown>, shopDomain: string): DeliveryRequest[] {
  const { data: order } = SCHEMAS.order.safeParse(payload);
  const { financial_status: status, refunds } = payload;
  const isPaid = moneyState({ financial_status: typeof status === 'string' ? status : null }) === 'received';
  const refundTexts = Array.isArray(refunds) ? elementsOf(memberOf(text, 'refunds') ?? '') : [];
  return [
    deliveryOf(isPaid ? 'orders/paid' : 'orders/create', isPaid ? asPaid(text, payload, order) : text, shopDomain),
    ...refundTexts.map((refund) => deliveryOf('refunds/create', refund, shopDomain)),
    ...(order !== undefined && explainsRefunds(order) ? [deliveryOf('orders/updated', text, shopDomain)] : []),
  ];
}

/** A webhook as Shopify would send it, without a signature. */
export function deliveryOf(topic: string, body: string, shopDomain: string): DeliveryRequest {
  return {
    rawBody: Buffer.from(body),
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': shopDomain,
      'x-shopify-api-version': API_VERSION,
      'x-shopify-webhook-id': backfillKey(topic, body),
    },
  };
}

/**
 * The order at the time of its payment. If it is cancelled, it was paid before, because cancelling voids what was not
 * captured yet. What was removed since was paid for, too.
 */
function asPaid(text: string, { total_outstanding: outstanding }: Record<string, unknown>, order: Order | undefined) {
  const paid = withMember(text, 'cancelled_at', 'null');
  if (order === undefined || !wasReducedSince(order, outstanding)) return paid;
  const shipping = elementsOf(memberOf(paid, 'shipping_lines') ?? '').map((line) =>
    withMember(line, 'is_removed', 'false'),
  );
  const changes = {
    current_total_price: memberOf(paid, 'total_price'),
    current_total_price_set: memberOf(paid, 'total_price_set'),
    current_subtotal_price: memberOf(paid, 'subtotal_price'),
    shipping_lines: `[${shipping.join(',')}]`,
  };
  return Object.entries(changes).reduce((body, [name, value = 'null']) => withMember(body, name, value), paid);
}

/**
 * True when an edit after the payment took something out of the order: all of its first total was paid, and the shop owes
 * the difference. `total_outstanding` is then negative.
 */
function wasReducedSince(order: Order, outstanding: unknown): boolean {
  if (!isEdited(order)) return false;
  const exponent = currencyExponent(order.currency) ?? 0;
  const [total, current, owed] = [order.total_price, order.current_total_price, outstanding].map((text) =>
    typeof text === 'string' ? decimalToMinor(text, exponent) : null,
  );
  return total != null && current != null && owed != null && owed < 0 && current - owed === total;
}

/** True when a refund says more together with its order, which knows whether prices include tax. */
function explainsRefunds(order: Order): boolean {
  return (order.refunds ?? []).some((refund) => {
    const [alone, explained] = [interpretRefund(refund), interpretRefund(refund, order.taxes_included)];
    return JSON.stringify(alone) !== JSON.stringify(explained);
  });
}
