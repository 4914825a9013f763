import { distinct, readField, readText } from '../contract/readers.ts';

/**
 * Returns the codes and ids that may link a discount to a partner: the shopper's promotion code, then the coupon.
 * Takes `discounts` of a session or invoice, or an invoice's older `discount`, in any shape. A discount given only as
 * its own id (`di_…`) names neither and adds nothing.
 */
export function discountCodesOf(...fields: readonly unknown[]): string[] {
  return distinct(fields.flat().flatMap(codesOfDiscount));
}

function codesOfDiscount(discount: unknown): (string | null)[] {
  const coupon = member(discount, 'coupon') ?? member(member(discount, 'source'), 'coupon');
  return [...namesOf(member(discount, 'promotion_code')), ...namesOf(coupon)];
}

/** Returns an id as it is; for an expanded object, its `code` and its id. */
function namesOf(value: unknown): (string | null)[] {
  return typeof value === 'object' ? [readField(value, 'code'), readField(value, 'id')] : [readText(value)];
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
