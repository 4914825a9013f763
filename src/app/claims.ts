import type { CustomerHints, Fact } from '../core/facts.ts';

/**
 * What a unit of work is about, as keys for `Transaction.claim`: units about one customer or one payment wait for each
 * other. References are claimed without their processor, because an invoice id is one across processors and the API.
 */
export const claimKeys = {
  external: (accountId: string, externalId: string) => `external ${accountId} ${externalId}`,
  click: (accountId: string, clickId: string) => `click ${accountId} ${clickId}`,
  email: (accountId: string, email: string) => `email ${accountId} ${email.toLowerCase()}`,
  reference: (accountId: string, value: string) => `reference ${accountId} ${value}`,
  identity: (accountId: string, processor: string, value: string) => `identity ${accountId} ${processor} ${value}`,
  payment: (paymentId: string) => `payment ${paymentId}`,
  refund: (accountId: string, refundId: string) => `refund ${accountId} ${refundId}`,
  dispute: (accountId: string, disputeId: string) => `dispute ${accountId} ${disputeId}`,
  payout: (partnerId: string, currency: string) => `payout ${partnerId} ${currency}`,
  delivery: (deliveryId: string) => `delivery ${deliveryId}`,
};

/** All keys that the facts of one delivery name. */
export function claimsOf(accountId: string, processor: string, facts: readonly Fact[]): string[] {
  return facts.flatMap((fact) => {
    const references = 'references' in fact ? fact.references : [];
    const customer = 'customer' in fact ? claimsOfCustomer(accountId, processor, fact.customer) : [];
    return [...references.map((value) => claimKeys.reference(accountId, value)), ...customer];
  });
}

function claimsOfCustomer(accountId: string, processor: string, customer: CustomerHints): string[] {
  const ids = [customer.processorCustomerId, customer.subscriptionId].filter((id) => id !== null);
  return [
    ...customer.externalIds.map((hint) => claimKeys.external(accountId, hint.value)),
    ...customer.clickIds.map((hint) => claimKeys.click(accountId, hint.value)),
    ...ids.map((id) => claimKeys.identity(accountId, processor, id)),
    ...(customer.email === null ? [] : [claimKeys.email(accountId, customer.email)]),
  ];
}
