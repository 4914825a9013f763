import { distinct, readField, readText } from '../contract/readers.ts';

/**
 * The codes and ids by which a discount may belong to a partner, the shopper's own code first: promotion code, then
 * coupon. Takes `discounts` of a session or invoice, or an invoice's older `discount`, in any shape; where a discount is
 * only an id of its own (`di_…`), it names neither and gives nothing.
 */
export function discountCodesOf(...fields: readonly unknown[]): string[] {
  return distinct(fields.flat().flatMap(codesOfDiscount));
}

function codesOfDiscount(discount: unknown): (string | null)[] {
  const coupon = member(discount, 'coupon') ?? member(member(discount, 'source'), 'coupon');
  return [...namesOf(member(discount, 'promotion_code')), ...namesOf(coupon)];
}

/** Of an id the id, of an expanded object its `code` and its id. */
function namesOf(value: unknown): (string | null)[] {
  return typeof value === 'object' ? [readField(value, 'code'), readField(value, 'id')] : [readText(value)];
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
