import { currencyExponent, decimalToMinor } from '../../src/core/money.ts';
import type { Refund } from './payload.ts';

/** An amount and its tax, in minor units. */
interface Amount {
  amount: number;
  tax: number;
}

type MoneySet = NonNullable<Refund['total_duties_set']>;

/**
 * What a refund gave back of the goods, without tax: its lines, and adjustments other than shipping. An adjustment is the
 * change of the order's value, so money that went back is negative. Null when the body does not say.
 *
 * A refund does not tell whether prices include tax, but its parts do: with or without tax, they add up to what was paid
 * back.
 *
 * @param taxesIncluded as the order says; null when only the refund is known
 */
export function commissionableOf(
  refund: Refund,
  { currency, amountMinor }: { currency: string; amountMinor: number },
  taxesIncluded: boolean | null,
): number | null {
  const { refund_line_items: lines, order_adjustments: adjustments, refund_shipping_lines: shipping } = refund;
  if (!lines?.length && !adjustments?.length && !shipping?.length) return null;
  const read = (set: MoneySet | null | undefined, text?: string | null) => amountIn(currency, set, text);
  const adjusted = (isShipping: boolean) =>
    (adjustments ?? [])
      .filter(({ kind }) => (kind === 'shipping_refund') === isShipping)
      .map((each) => [read(each.amount_set, each.amount), read(each.tax_amount_set, each.tax_amount)]);
  const goods = sum(
    (lines ?? []).map((line) => [read(line.subtotal_set, line.subtotal), read(line.total_tax_set, line.total_tax)]),
  );
  const other = sum(adjusted(false));
  const adjustedShipping = sum(adjusted(true));
  const shipped = sum((shipping ?? []).map((line) => [read(line.subtotal_amount_set), read(line.tax_amount_set)]));
  const duties = read(refund.total_duties_set);
  if (!goods || !other || !adjustedShipping || !shipped || duties === null) return null;
  const net = goods.amount - other.amount;
  const tax = goods.tax - other.tax;
  const all = net - adjustedShipping.amount + shipped.amount + duties;
  const allTax = tax - adjustedShipping.tax + shipped.tax;
  const isIncluded = taxesIncluded ?? includesTax(amountMinor, all, allTax);
  if (isIncluded === null) return null;
  return Math.min(Math.max(isIncluded ? net - tax : net, 0), amountMinor);
}

function includesTax(paidBack: number, all: number, tax: number): boolean | null {
  if (tax === 0 || paidBack === all + tax) return false;
  return paidBack === all ? true : null;
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

/** The amount in this currency, which is the shop's or the shopper's; bodies without sets are in the shop's. Absent is 0. */
function amountIn(currency: string, set: MoneySet | null | undefined, text?: string | null): number | null {
  const money = set ? [set.shop_money, set.presentment_money].find((one) => one.currency_code === currency) : null;
  if (set && !money?.amount) return null;
  return decimalToMinor(money?.amount ?? text ?? '0', currencyExponent(currency) ?? 0);
}
