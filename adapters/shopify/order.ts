import type { Fact, Interpretation, PaymentReceived } from '../../src/core/facts.ts';
import { currencyExponent, decimalToMinor, parseCurrency } from '../../src/core/money.ts';
import { customerOf, discountCodesOf, identifiedBy } from './customer.ts';
import { globalIdOf, type Order } from './payload.ts';
import { interpretRefund } from './refund.ts';

/** `financial_status` of an order: https://shopify.dev/docs/api/admin-rest/2026-10/resources/order */
const MONEY_BY_STATUS: ReadonlyMap<string, 'received' | 'awaited' | 'never'> = new Map([
  ['paid', 'received'],
  // what went back again arrives as refunds of its own
  ['partially_refunded', 'received'],
  ['refunded', 'received'],
  ['pending', 'awaited'],
  ['authorized', 'awaited'],
  ['partially_paid', 'awaited'],
  ['voided', 'never'],
  ['expired', 'never'],
]);

/** `orders/paid`: each is a sale, a subscription's renewal too. */
export function interpretPaidOrder(order: Order): Interpretation {
  return moneyState(order) === 'awaited' ? notPaid(order) : interpretOrder(order);
}

/** `orders/create`: a sale where it is paid already, by the same key as `orders/paid`; else it tells who will pay. */
export function interpretCreatedOrder(order: Order): Interpretation {
  if (moneyState(order) !== 'awaited') return interpretOrder(order);
  return noted(order, `order ${orderId(order)} is not paid yet (${order.financial_status})`);
}

/** `orders/updated` moves no money, but is where refunds that were pending at a bank come to their end. */
export function interpretUpdatedOrder(order: Order): Interpretation {
  const facts = (order.refunds ?? []).flatMap((refund): Fact[] => {
    const interpretation = interpretRefund(refund);
    return interpretation.kind === 'facts'
      ? interpretation.facts.filter(({ kind }) => kind === 'payment.refunded')
      : [];
  });
  return facts.length > 0
    ? { kind: 'facts', facts }
    : { kind: 'ignored', reason: 'An update of an order moves no money' };
}

export function interpretCancelledOrder(order: Order): Interpretation {
  const what = `order ${orderId(order)} was cancelled; what was paid goes back by refunds only`;
  return { kind: 'facts', facts: [{ kind: 'noted', what }] };
}

function interpretOrder(order: Order): Interpretation {
  switch (moneyState(order)) {
    case undefined:
      return { kind: 'unknown', reason: `financial_status ${JSON.stringify(order.financial_status)} is not described` };
    case 'received':
      break;
    default:
      return notPaid(order);
  }
  if (order.cancelled_at) return { kind: 'ignored', reason: `Order ${orderId(order)} is cancelled` };
  const payment = paymentOf(order);
  if (payment === null) return { kind: 'unknown', reason: 'The currency or an amount of the order cannot be read' };
  if (payment.grossMinor === 0) return noted(order, `order ${orderId(order)} costs nothing`);
  return { kind: 'facts', facts: [payment] };
}

function moneyState(order: Order) {
  return MONEY_BY_STATUS.get(order.financial_status ?? '');
}

function notPaid(order: Order): Interpretation {
  return { kind: 'ignored', reason: `Order ${orderId(order)} is not paid: financial_status ${order.financial_status}` };
}

function noted(order: Order, what: string): Interpretation {
  return { kind: 'facts', facts: [...identifiedBy(order, momentOf(order)), { kind: 'noted', what }] };
}

function orderId(order: Order): string {
  return globalIdOf('Order', order.id, order.admin_graphql_api_id);
}

function momentOf(order: Order): number {
  return Date.parse(order.processed_at ?? order.created_at);
}

/** The payment in the shop's currency, in which the top level of an order is; null when a number is none. */
function paymentOf(order: Order): PaymentReceived | null {
  const currency = parseCurrency(order.currency);
  const amounts = currency === null ? null : amountsOf(order, currencyExponent(currency) ?? 0);
  if (currency === null || amounts === null) return null;
  const invoiceId = orderId(order);
  return {
    kind: 'payment.received',
    references: [invoiceId],
    invoiceId,
    ...amounts,
    currency,
    presentment: presentmentOf(order, currency),
    // only orders that Shopify itself made of a contract say so; other subscription apps write their own id
    recurring: order.source_name?.startsWith('subscription_contract') ?? false,
    customer: customerOf(order),
    discountCodes: discountCodesOf(order),
    occurredAt: momentOf(order),
  };
}

/**
 * Net is `subtotal_price`, which is after discounts and without shipping. Where prices include tax, the lines' own tax
 * comes off; `total_tax` holds shipping's tax too and serves only where no line has any.
 */
function amountsOf(order: Order, exponent: number) {
  const lineTaxes = order.line_items.flatMap((line) => line.tax_lines ?? []);
  const shipping = (order.shipping_lines ?? []).filter((line) => line.is_removed !== true);
  const read = sumsOf(
    {
      gross: [order.total_price],
      subtotal: [order.subtotal_price],
      tax: [order.total_tax ?? '0'],
      lineTax: lineTaxes.map(({ price }) => price),
      shipping: shipping.map((line) => line.discounted_price ?? line.price),
      shippingTax: shipping.flatMap((line) => line.tax_lines ?? []).map(({ price }) => price),
    },
    exponent,
  );
  if (read === null) return null;
  const taxInLines = lineTaxes.length > 0 ? read.lineTax : read.tax;
  const netMinor = order.taxes_included ? read.subtotal - taxInLines : read.subtotal;
  const shippingMinor = order.taxes_included ? read.shipping - read.shippingTax : read.shipping;
  return {
    grossMinor: read.gross,
    netMinor: Math.min(Math.max(netMinor, 0), read.gross),
    taxMinor: read.tax,
    shippingMinor: Math.max(shippingMinor, 0),
  };
}

/** Each list of decimal texts as one sum in minor units; null when any text is no amount. */
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
  const shown = order.total_price_set?.presentment_money;
  const currency = shown ? parseCurrency(shown.currency_code) : null;
  if (!shown || currency === null || currency === shopCurrency) return null;
  const grossMinor = decimalToMinor(shown.amount, currencyExponent(currency) ?? 0);
  return grossMinor === null || grossMinor <= 0 ? null : { currency, grossMinor };
}
