import type { MovedPerson } from '../moved/facts.ts';

/** True for an id that Stripe gives to a payment: a charge, an invoice, a payment intent, a checkout or a bank payment. */
export function isStripePayment(id: string): boolean {
  return /^(ch|in|pi|cs|py)_/.test(id);
}

/** The customer at Stripe whom this id names; null for any other id. */
export function customerAtStripe(id: string | null): MovedPerson['atProcessor'] {
  return id?.startsWith('cus_') ? { processor: 'stripe', customerId: id } : null;
}
