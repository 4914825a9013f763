import type { CustomerHints, Fact } from '../core/facts.ts';
import type { AccountId, CustomerId, DeliveryId, PartnerId, ProgramId } from '../core/ids.ts';
import { type ClaimKey, FIRST } from '../storage/database.ts';

/**
 * Every key for `Transaction.claim`: units about the same customer, payment or row wait for each other. References are
 * claimed without their processor, because an invoice id is unique across processors and the API.
 *
 * The texts must not change: a process of an earlier version that runs beside this one claims the same keys.
 */
export const claimKeys = {
  external: (accountId: AccountId, externalId: string) => claimKey('external', accountId, externalId),
  click: (accountId: AccountId, clickId: string) => claimKey('click', accountId, clickId),
  email: (accountId: AccountId, email: string) => claimKey('email', accountId, email.toLowerCase()),
  reference: (accountId: AccountId, value: string) => claimKey('reference', accountId, value),
  identity: (accountId: AccountId, processor: string, value: string) =>
    claimKey('identity', accountId, processor, value),
  payment: (paymentId: string) => claimKey('payment', paymentId),
  /** Whether a customer was erased, and to whom they belong. */
  customer: (customerId: CustomerId) => claimKey('customer', customerId),
  /** Which of a customer's sales is the first. */
  firstSale: (customerId: CustomerId) => claimKey('first sale', customerId),
  refund: (accountId: AccountId, refundId: string) => claimKey('refund', accountId, refundId),
  dispute: (accountId: AccountId, disputeId: string) => claimKey('dispute', accountId, disputeId),
  adjustments: (partnerId: string, currency: string) => claimKey('adjustments', partnerId, currency),
  payout: (partnerId: PartnerId, currency: string) => claimKey('payout', partnerId, currency),
  payoutFiles: (accountId: AccountId) => claimKey('payout files', accountId),
  /** The connection with a provider, and which transfers are under way with it. */
  rail: (accountId: AccountId, rail: string) => claimKey('rail', accountId, rail),
  /** A delivery that is not stored yet. */
  received: (endpointId: string, deliveryKey: string) => claimKey('received', endpointId, deliveryKey),
  delivery: (deliveryId: DeliveryId) => claimKey('delivery', deliveryId),
  endpoint: (endpointId: string) => claimKey('endpoint', endpointId),
  programs: (accountId: AccountId) => claimKey('programs', accountId),
  program: (programId: string) => claimKey('program', programId),
  partner: (partnerId: string) => claimKey('partner', partnerId),
  partnerEmail: (programId: ProgramId, email: string) => claimKey('partner email', programId, email),
  partnerTenant: (programId: ProgramId, tenantId: string) => claimKey('partner tenant', programId, tenantId),
  /** How many event endpoints and listeners the account has. */
  eventEndpoints: (accountId: AccountId) => claimKey('event endpoints', accountId),
  eventEndpoint: (endpointId: string) => claimKey('event endpoint', endpointId),
  eventApprovals: (accountId: AccountId) => claimKey('event approvals', accountId),
  imports: (accountId: AccountId) => claimKey('imports', accountId),
  /** What an account was imported from. A page of an import that waits for another one holds nothing that webhooks need. */
  importedRecords: (accountId: AccountId) => claimKey(`${FIRST}imported records`, accountId),
  operators: (accountId: AccountId) => claimKey('operators', accountId),
  link: (linkId: string) => claimKey('link', linkId),
  linkDomain: (domain: string) => claimKey('link domain', domain),
  upsertedLinks: (accountId: AccountId) => claimKey('upserted links', accountId),
  linkKey: (domain: string, key: string) => claimKey('link key', `${domain}/${key}`),
};

function claimKey(subject: string, ...parts: readonly string[]): ClaimKey {
  return [subject, ...parts].join(' ') as ClaimKey;
}

/** All keys that the facts of one delivery touch. */
export function claimsOf(accountId: AccountId, processor: string, facts: readonly Fact[]): ClaimKey[] {
  return facts.flatMap((fact) => {
    const references = 'references' in fact ? (fact.references ?? []) : [];
    const customer = 'customer' in fact && fact.customer ? claimsOfCustomer(accountId, processor, fact.customer) : [];
    return [...references.map((value) => claimKeys.reference(accountId, value)), ...customer];
  });
}

/** All keys of the customer that a processor's report names. */
export function claimsOfCustomer(accountId: AccountId, processor: string, customer: CustomerHints): ClaimKey[] {
  const ids = [customer.processorCustomerId, customer.subscriptionId].filter((id) => id !== null);
  return [
    ...customer.externalIds.map((hint) => claimKeys.external(accountId, hint.value)),
    ...customer.clickIds.map((hint) => claimKeys.click(accountId, hint.value)),
    ...ids.map((id) => claimKeys.identity(accountId, processor, id)),
    ...(customer.email === null ? [] : [claimKeys.email(accountId, customer.email)]),
  ];
}
