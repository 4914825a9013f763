import type { CustomerHints, CustomerIdentified } from '../../src/core/facts.ts';

/**
 * Creates `customer.identified`. Give it the discount codes of a report that starts something without a payment, such as a
 * free trial, because the payments that follow may lack them.
 */
export function identifiedFact(
  customer: CustomerHints,
  occurredAt: number,
  discountCodes: string[] = [],
): CustomerIdentified {
  const fact: CustomerIdentified = { kind: 'customer.identified', customer, occurredAt };
  return discountCodes.length === 0 ? fact : { ...fact, discountCodes };
}
