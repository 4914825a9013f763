import type { CustomerHints, Fact } from '../core/facts.ts';
import type { ClaimKey } from '../storage/database.ts';

/**
 * Every key there is for `Transaction.claim`, named after what it is about: units about one customer, payment or row
 * wait for each other. References are claimed without their processor, because an invoice id is one across processors
 * and the API.
 *
 * The texts must not change: a process of an earlier version that runs beside this one claims the same.
 */
export const claimKeys = {
  external: (accountId: string, externalId: string) => claimKey('external', accountId, externalId),
  click: (accountId: string, clickId: string) => claimKey('click', accountId, clickId),
  email: (accountId: string, email: string) => claimKey('email', accountId, email.toLowerCase()),
  reference: (accountId: string, value: string) => claimKey('reference', accountId, value),
  identity: (accountId: string, processor: string, value: string) => claimKey('identity', accountId, processor, value),
  payment: (paymentId: string) => claimKey('payment', paymentId),
  refund: (accountId: string, refundId: string) => claimKey('refund', accountId, refundId),
  dispute: (accountId: string, disputeId: string) => claimKey('dispute', accountId, disputeId),
  payout: (partnerId: string, currency: string) => claimKey('payout', partnerId, currency),
  delivery: (deliveryId: string) => claimKey('delivery', deliveryId),
  endpoint: (endpointId: string) => claimKey('endpoint', endpointId),
  program: (programId: string) => claimKey('program', programId),
  partner: (partnerId: string) => claimKey('partner', partnerId),
  partnerEmail: (programId: string, email: string) => claimKey('partner email', programId, email),
  partnerTenant: (programId: string, tenantId: string) => claimKey('partner tenant', programId, tenantId),
  link: (linkId: string) => claimKey('link', linkId),
  linkKey: (domain: string, key: string) => claimKey('link key', `${domain}/${key}`),
};

function claimKey(subject: string, ...parts: readonly string[]): ClaimKey {
  return [subject, ...parts].join(' ') as ClaimKey;
}

/** All keys that the facts of one delivery name. */
export function claimsOf(accountId: string, processor: string, facts: readonly Fact[]): ClaimKey[] {
  return facts.flatMap((fact) => {
    const references = 'references' in fact ? fact.references : [];
    const customer = 'customer' in fact ? claimsOfCustomer(accountId, processor, fact.customer) : [];
    return [...references.map((value) => claimKeys.reference(accountId, value)), ...customer];
  });
}

function claimsOfCustomer(accountId: string, processor: string, customer: CustomerHints): ClaimKey[] {
  const ids = [customer.processorCustomerId, customer.subscriptionId].filter((id) => id !== null);
  return [
    ...customer.externalIds.map((hint) => claimKeys.external(accountId, hint.value)),
    ...customer.clickIds.map((hint) => claimKeys.click(accountId, hint.value)),
    ...ids.map((id) => claimKeys.identity(accountId, processor, id)),
    ...(customer.email === null ? [] : [claimKeys.email(accountId, customer.email)]),
  ];
}
