import { currencyExponent, decimalToMinor, multiplyRatio } from '../../src/core/money.ts';
import type { RefundedById } from '../../src/core/refunded.ts';
import { isGiftCard, refundedLinesOf } from './lines.ts';
import type { Refund } from './payload.ts';

/** An amount and its tax, in minor units. */
interface Amount {
  amount: number;
  tax: number;
}

type MoneySet = NonNullable<Refund['total_duties_set']>;
type LineItem = NonNullable<Refund['refund_line_items']>[number];
type ShippingLine = NonNullable<Refund['refund_shipping_lines']>[number];
type Read = (set: MoneySet | null | undefined, text?: string | null) => number | null;
type Stated = Pick<RefundedById, 'commissionableMinor' | 'lines'>;

/**
 * What a refund gave back for goods, without tax: its lines other than tips and gift cards, and adjustments other than
 * shipping. An adjustment is a change of the order's value, so returned money is negative. Empty when the body does not say:
 * its parts do not add up to the amount and it belongs to no return, or it paid money back without lines and without naming
 * the tax in it.
 *
 * A refund does not say whether prices include tax, or whether it still contains the adjustment for a repayment that
 * was pending at first. The right combination is the one whose parts add up to what was paid back.
 *
 * @param taxesIncluded as stated by the order; null when only the refund is known
 */
export function commissionableOf(
  refund: Refund,
  { currency, amountMinor }: { currency: string; amountMinor: number },
  taxesIncluded: boolean | null,
): Stated {
  const parts = partsOf(refund, currency);
  if (parts === null) return {};
  const { goods, giftCards, lines, other } = parts;
  // a return counts the same with its order and without it, also if its fee is as high as its tax
  const readings = readingsOf(parts, refund.return ? null : taxesIncluded);
  const found = [other, NOTHING]
    .flatMap((adjusted) => readings.map((reading) => ({ adjusted, ...reading })))
    .find(({ adjusted, isIncluded, restMinor }) => {
      const linesMinor = grossOf(goods, isIncluded) + grossOf(giftCards, isIncluded);
      return amountMinor === linesMinor - grossOf(adjusted, isIncluded) + restMinor;
    });
  if (found === undefined) return refund.return ? goodsOfReturn(parts, amountMinor, taxesIncluded) : {};
  const { adjusted, isIncluded, restMinor } = found;
  // Shopify writes a tax of 0.00 whatever the order's taxes are
  const isUntaxed = adjusted.amount < 0 && adjusted.tax === 0;
  const beyond = isUntaxed ? netShareOf(-adjusted.amount, goods, isIncluded) : -netOf(adjusted, isIncluded);
  if (beyond === null) return {};
  const net = netOf(goods, isIncluded) + beyond;
  return {
    commissionableMinor: Math.min(Math.max(net, 0), amountMinor),
    ...refundedLinesOf(lines, restMinor, isIncluded),
  };
}

/** Whether the lines include tax, and what of the refund belongs to no goods. */
interface Reading {
  isIncluded: boolean;
  restMinor: number;
}

/**
 * The possible readings, the documented ones first: tax is added to the amount of shipping. Where prices include tax, that
 * amount may include it, too.
 */
function readingsOf({ rest, restIncluded }: Parts, taxesIncluded: boolean | null): Reading[] {
  const readings = [
    { isIncluded: false, restMinor: rest.amount + rest.tax },
    { isIncluded: true, restMinor: restIncluded.amount + restIncluded.tax },
    { isIncluded: true, restMinor: restIncluded.amount },
  ];
  return taxesIncluded === null ? readings : readings.filter(({ isIncluded }) => isIncluded === taxesIncluded);
}

/**
 * The goods in a refund that pays back less than it names, because the return kept a fee or was partly an exchange: Shopify
 * lists both with the return, and not in its refund. Empty when the body does not say whether its lines include tax.
 */
function goodsOfReturn(
  { goods, giftCards, lines, rest, restIncluded }: Parts,
  amountMinor: number,
  taxesIncluded: boolean | null,
): Stated {
  const isIncluded = taxesIncluded ?? ([goods, giftCards, rest].every(({ tax }) => tax === 0) ? false : null);
  if (isIncluded === null) return {};
  const restMinor = isIncluded ? restIncluded.amount + restIncluded.tax : rest.amount + rest.tax;
  const paidForGoods = amountMinor - grossOf(giftCards, isIncluded) - restMinor;
  if (paidForGoods < 0 || paidForGoods > grossOf(goods, isIncluded)) return {};
  const net = netShareOf(paidForGoods, goods, isIncluded);
  return net === null ? {} : { commissionableMinor: net, ...refundedLinesOf(lines, restMinor, isIncluded) };
}

function netOf({ amount, tax }: Amount, isIncluded: boolean): number {
  return isIncluded ? amount - tax : amount;
}

function grossOf({ amount, tax }: Amount, isIncluded: boolean): number {
  return isIncluded ? amount : amount + tax;
}

/**
 * The net part of an amount that contains as much tax as the lines. Null without lines, because then nothing says what part
 * of it was tax.
 */
function netShareOf(amount: number, goods: Amount, isIncluded: boolean): number | null {
  const net = netOf(goods, isIncluded);
  const gross = grossOf(goods, isIncluded);
  return net < 0 || goods.tax < 0 || gross === 0 ? null : multiplyRatio(amount, net, gross);
}

const NOTHING: Amount = { amount: 0, tax: 0 };

type Parts = NonNullable<ReturnType<typeof partsOf>>;

/** Null when the body describes nothing, or an amount is unreadable. */
function partsOf(refund: Refund, currency: string) {
  const { refund_line_items: lineItems, order_adjustments: adjustments, refund_shipping_lines: shipping } = refund;
  const read: Read = (set, text) => amountIn(currency, set, text);
  const duties = read(refund.total_duties_set);
  // costs of an import that are neither duties nor taxes
  const fees = read(refund.total_additional_fees_set);
  if (!lineItems?.length && !adjustments?.length && !shipping?.length && !duties && !fees) return null;
  const adjusted = (isShipping: boolean) =>
    (adjustments ?? [])
      .filter(({ kind }) => (kind === 'shipping_refund') === isShipping)
      .map((each) => [read(each.amount_set, each.amount), read(each.tax_amount_set, each.tax_amount)]);
  const amountsOf = (line: LineItem) => [
    read(line.subtotal_set, line.subtotal),
    read(line.total_tax_set, line.total_tax),
  ];
  const sold = (lineItems ?? []).filter((line) => !isTip(line));
  const goods = sum(sold.filter((line) => !isGiftCard(line.line_item)).map(amountsOf));
  const giftCards = sum(sold.filter((line) => isGiftCard(line.line_item)).map(amountsOf));
  const tips = sum((lineItems ?? []).filter(isTip).map(amountsOf));
  const other = sum(adjusted(false));
  const adjustedShipping = sum(adjusted(true));
  // what belongs to no line
  const restWith = (isIncluded: boolean): Amount | null => {
    // where shipping is listed both ways, only the adjustment states its tax
    const listed = adjustedShipping?.amount ? [] : (shipping ?? []);
    const shipped = sum(listed.map((line) => shippedIn(line, { read, isIncluded })));
    if (!tips || !adjustedShipping || !shipped || duties === null || fees === null) return null;
    return {
      amount: tips.amount + shipped.amount - adjustedShipping.amount + duties + fees,
      tax: tips.tax + shipped.tax - adjustedShipping.tax,
    };
  };
  const [rest, restIncluded] = [restWith(false), restWith(true)];
  if (!goods || !giftCards || !other || !rest || !restIncluded) return null;
  const lines = sold.map((line) => {
    const [amount, tax] = amountsOf(line);
    return { ...line, amount: amount ?? 0, tax: tax ?? 0, isGiftCard: isGiftCard(line.line_item) };
  });
  return { goods, giftCards, lines, other, rest, restIncluded };
}

/**
 * The amount of a refunded shipping line, and the same share of the tax of the line in the order. An amount beyond the line
 * without its tax contains the tax.
 *
 * @param isIncluded whether the price of the line in the order includes tax
 */
function shippedIn(
  { subtotal_amount_set: set, shipping_line: sold }: ShippingLine,
  { read, isIncluded }: { read: Read; isIncluded: boolean },
): (number | null)[] {
  const amount = read(set);
  const price = read(sold?.discounted_price_set, sold?.discounted_price);
  const taxes = sum((sold?.tax_lines ?? []).map((tax) => [0, read(tax.price_set, tax.price)]));
  if (!amount || !price || !taxes || Math.min(amount, price, taxes.tax) < 0) return [amount, 0];
  const net = netOf({ amount: price, tax: taxes.tax }, isIncluded);
  if (isIncluded && amount > net) return [amount, 0];
  return [amount, multiplyRatio(amount, taxes.tax, net)];
}

/** Only tips have this member, which may be null. An order's `subtotal_price` leaves them out. */
function isTip({ line_item: item }: LineItem): boolean {
  return typeof item === 'object' && item !== null && 'tip_payment_gateway' in item;
}

/** Null when any amount is unreadable. */
function sum(amounts: readonly (number | null)[][]): Amount | null {
  const total = { amount: 0, tax: 0 };
  for (const [amount = null, tax = null] of amounts) {
    if (amount === null || tax === null) return null;
    total.amount += amount;
    total.tax += tax;
  }
  return total;
}

/**
 * The amount in this currency, which is the shop's or the shopper's. A body without money sets is in the shop's
 * currency. An absent amount is 0.
 */
function amountIn(currency: string, set: MoneySet | null | undefined, text?: string | null): number | null {
  const money = set ? [set.shop_money, set.presentment_money].find((one) => one.currency_code === currency) : null;
  if (set && !money?.amount) return null;
  return decimalToMinor(money?.amount ?? text ?? '0', currencyExponent(currency) ?? 0);
}
