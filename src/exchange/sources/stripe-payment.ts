/** True for an id that Stripe gives to a payment: a charge, an invoice, a payment intent, a checkout or a bank payment. */
export function isStripePayment(id: string): boolean {
  return /^(ch|in|pi|cs|py)_/.test(id);
}
