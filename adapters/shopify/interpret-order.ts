import type { Fact, Interpretation, PaymentReceived } from '../../src/core/facts.ts';
import { currencyExponent, decimalToMinor, parseCurrency } from '../../src/core/money.ts';
import { ignored, unknown } from '../contract/interpretations.ts';
import { customerOf, discountCodesOf, identifiedBy } from './customer-hints.ts';
import { interpretRefund } from './interpret-refund.ts';
import { giftCardsOf, paidLinesOf } from './lines.ts';
import { globalIdOf, type Order, type Refund } from './payload.ts';

/** `financial_status` of an order: https://shopify.dev/docs/api/admin-rest/2026-10/resources/order */
const MONEY_BY_STATUS: ReadonlyMap<string, 'received' | 'awaited' | 'never'> = new Map([
  ['paid', 'received'],
  // the refunded part arrives as separate refunds
  ['partially_refunded', 'received'],
  ['refunded', 'received'],
  ['pending', 'awaited'],
  ['authorized', 'awaited'],
  ['partially_paid', 'awaited'],
  ['voided', 'never'],
  ['expired', 'never'],
]);

/** `orders/paid`: every paid order is a sale, including a subscription renewal. */
export function interpretPaidOrder(order: Order): Interpretation {
  switch (moneyState(order)) {
    case undefined:
      return unknown(`Unknown financial_status ${JSON.stringify(order.financial_status)}`);
    case 'received':
      break;
    default:
      return notPaid(order);
  }
  if (order.cancelled_at) return ignored(`Order ${orderId(order)} is cancelled`);
  const payment = paymentOf(order);
  if (payment === null) return unknown('An amount of the order cannot be read');
  if (payment.grossMinor === 0) return noted(order, `order ${orderId(order)} costs nothing`, discountCodesOf(order));
  return { kind: 'facts', facts: [payment] };
}

/** `orders/create`: a sale if already paid, under the same key as `orders/paid`; otherwise it identifies the payer. */
export function interpretCreatedOrder(order: Order): Interpretation {
  if (moneyState(order) !== 'awaited') return interpretPaidOrder(order);
  return noted(order, `order ${orderId(order)} is not paid yet (${order.financial_status})`);
}

/**
 * `orders/updated`: moves no money itself, but reports the completion of refunds that were pending at a bank, and whether
 * the prices in a refund include tax.
 */
export function interpretUpdatedOrder(order: Order): Interpretation {
  const facts = (order.refunds ?? []).flatMap((refund): Fact[] => {
    const interpretation = interpretRefund(refund, order.taxes_included);
    return interpretation.kind === 'facts'
      ? interpretation.facts.filter(({ kind }) => kind === 'payment.refunded')
      : [];
  });
  return facts.length > 0 ? { kind: 'facts', facts } : ignored('An update of an order moves no money');
}

export function interpretCancelledOrder(order: Order): Interpretation {
  const what = `order ${orderId(order)} was cancelled; what was paid goes back by refunds only`;
  return { kind: 'facts', facts: [{ kind: 'noted', what }] };
}

/** What `financial_status` says of the money; undefined for an unknown one. */
export function moneyState({ financial_status: status }: Pick<Order, 'financial_status'>) {
  return MONEY_BY_STATUS.get(status ?? '');
}

function notPaid(order: Order): Interpretation {
  return ignored(`Order ${orderId(order)} is not paid: financial_status ${order.financial_status}`);
}

/** @param discountCodes of an order that is complete without a payment */
function noted(order: Order, what: string, discountCodes: string[] = []): Interpretation {
  return { kind: 'facts', facts: [...identifiedBy(order, momentOf(order), discountCodes), { kind: 'noted', what }] };
}

function orderId(order: Order): string {
  return globalIdOf('Order', order.id, order.admin_graphql_api_id);
}

function momentOf(order: Order): number {
  return Date.parse(order.processed_at ?? order.created_at);
}

/** The payment in the shop's currency, which an order's top-level amounts use; null when an amount is invalid. */
function paymentOf(order: Order): PaymentReceived | null {
  const { currency } = order;
  const amounts = amountsOf(order, currencyExponent(currency) ?? 0);
  if (amounts === null) return null;
  const invoiceId = orderId(order);
  return {
    kind: 'payment.received',
    references: [invoiceId],
    invoiceId,
    ...amounts,
    currency,
    presentment: presentmentOf(order, currency),
    ...paidLinesOf(order.line_items, isEdited(order)),
    ...(order.updated_at ? { statedAt: Date.parse(order.updated_at) } : {}),
    // only orders that Shopify itself creates from a contract set this; other subscription apps write their own id
    recurring: order.source_name?.startsWith('subscription_contract') ?? false,
    customer: customerOf(order),
    discountCodes: discountCodesOf(order),
    occurredAt: momentOf(order),
  };
}

/**
 * Net is `subtotal_price`, which is after discounts and excludes shipping, less gift cards. If prices include duties, these
 * are subtracted. If prices include tax, the line items' tax is subtracted; when no line item lists tax, it is what
 * `total_tax` has beyond the tax on shipping. For an order that was edited before its payment, the current totals are what
 * was paid; its lines still list what was removed.
 */
function amountsOf(order: Order, exponent: number) {
  const current = isEdited(order);
  const lineTaxes = current ? [] : order.line_items.flatMap((line) => line.tax_lines ?? []);
  const shipping = (order.shipping_lines ?? []).filter((line) => line.is_removed !== true);
  const duties = (current ? order.current_total_duties_set : null) ?? order.original_total_duties_set;
  const giftCards = giftCardsOf(order.line_items, current, exponent);
  const read = sumsOf(
    {
      gross: [(current ? order.current_total_price : null) ?? order.total_price],
      subtotal: [(current ? order.current_subtotal_price : null) ?? order.subtotal_price],
      tax: [(current ? order.current_total_tax : null) ?? order.total_tax ?? '0'],
      lineTax: lineTaxes.map(({ price }) => price),
      shipping: shipping.map((line) => line.discounted_price ?? line.price),
      shippingTax: shipping.flatMap((line) => line.tax_lines ?? []).map(({ price }) => price),
      duties: [(order.duties_included ? duties?.shop_money.amount : null) ?? '0'],
    },
    exponent,
  );
  if (read === null || giftCards === null) return null;
  const taxInLines = lineTaxes.length > 0 ? read.lineTax : Math.max(read.tax - read.shippingTax, 0);
  const netMinor = read.subtotal - (order.taxes_included ? taxInLines : 0) - read.duties - giftCards;
  const shippingMinor = order.taxes_included ? read.shipping - read.shippingTax : read.shipping;
  return {
    grossMinor: read.gross,
    netMinor: Math.min(Math.max(netMinor, 0), read.gross),
    taxMinor: read.tax,
    shippingMinor: Math.max(shippingMinor, 0),
  };
}

/**
 * True when the current totals differ because of an edit before the payment. Refunds change them too and are counted
 * separately, so an order that paid money back is not considered edited. A removed item is listed as a refund as well,
 * but without a transaction of kind `refund`, whatever its status: only what was paid can be paid back.
 */
export function isEdited({ refunds, ...order }: Order): boolean {
  const { current_total_price: total, current_subtotal_price: subtotal } = order;
  if (typeof total !== 'string' || typeof subtotal !== 'string' || (refunds ?? []).some(paysBack)) return false;
  return total !== order.total_price || subtotal !== order.subtotal_price;
}

function paysBack({ transactions }: Refund): boolean {
  return transactions.some(({ kind }) => kind === 'refund');
}

/** Sums each list of decimal strings in minor units; null when any string is not a valid amount. */
function sumsOf<Name extends string>(
  texts: Record<Name, readonly string[]>,
  exponent: number,
): Record<Name, number> | null {
  const sums = {} as Record<Name, number>;
  for (const name of Object.keys(texts) as Name[]) {
    sums[name] = 0;
    for (const text of texts[name]) {
      const amountMinor = decimalToMinor(text, exponent);
      if (amountMinor === null || amountMinor < 0) return null;
      sums[name] += amountMinor;
    }
  }
  return sums;
}

function presentmentOf(order: Order, shopCurrency: string): PaymentReceived['presentment'] {
  const set = isEdited(order) ? order.current_total_price_set : order.total_price_set;
  const shown = set?.presentment_money;
  const currency = shown ? parseCurrency(shown.currency_code) : null;
  if (!shown || currency === null || currency === shopCurrency) return null;
  const grossMinor = decimalToMinor(shown.amount, currencyExponent(currency) ?? 0);
  return grossMinor === null || grossMinor <= 0 ? null : { currency, grossMinor };
}
