/** Ids are small numbers that are unique only within their object type, so references include the type. */
export const referenceOf = {
  order: (id: string) => `orders:${id}`,
  invoice: (id: string) => `subscription-invoices:${id}`,
  /** A subscription's first payment, which is its order's payment. */
  firstOf: (subscriptionId: string) => `subscriptions:${subscriptionId}:initial`,
};

/**
 * Returns the `identifier` of the order that started the invoice's subscription. An invoice names no order, but the URL
 * of its customer page contains the identifier, as does the order's own `urls.receipt`. Null for any other URL.
 */
export function orderIdentifierIn(invoiceUrl: string | null | undefined): string | null {
  const [, identifier] = /\/my-orders\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\//.exec(invoiceUrl ?? '') ?? [];
  return identifier ?? null;
}
