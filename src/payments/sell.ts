import type { TraceStep } from '../core/attribution.ts';
import type { PaymentReceived } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { bindCustomer, createGuest, type Scope } from './customers.ts';
import { fillCustomer, learnIdentity } from './identify.ts';
import { findCustomerByClick } from './queries/customers.ts';
import type { Owner } from './queries/owners.ts';
import { type AttributedPayment, recordSale } from './record-sale.ts';

export interface ProcessorScope extends Scope {
  processor: string;
}

/** Who earned a payment, and why. */
export interface Earned {
  owner: Owner;
  matchedBy: AttributedPayment['matchedBy'];
  steps: TraceStep[];
}

export interface PayingCustomer {
  id: string;
  /** Set when this unit gave the account a customer with this external id: payments may have waited for it. */
  newExternalId: string | null;
  /** Set when it is known by this e-mail address since now: payments may have waited for that. */
  newEmail: string | null;
  /** True when a processor's id was tied to it just now: payments may have waited for that. */
  newlyIdentified: boolean;
}

/**
 * Stores the sale of a payment that came by webhook: its customer is found or made, its identities are remembered.
 * The caller has counted the payment's row under `saleId`.
 *
 * @throws ServiceError `DUPLICATE_INVOICE`
 */
export async function sell(
  tx: Transaction,
  scope: ProcessorScope,
  fact: PaymentReceived,
  ids: { saleId: string; paymentId: string },
  { owner, matchedBy, steps }: Earned,
): Promise<PayingCustomer> {
  const { id: customerId, newExternalId, newEmail } = await payingCustomer(tx, scope, fact, owner);
  const { netMinor, grossMinor, currency, presentment, invoiceId, occurredAt } = fact;
  const payment: AttributedPayment = {
    ...ids,
    accountId: scope.accountId,
    customerId,
    payerEmail: fact.customer.email,
    owner,
    eventName: fact.recurring ? 'Renewal' : 'Purchase',
    invoiceId,
    paymentProcessor: scope.processor,
    netMinor,
    grossMinor,
    currency,
    presentment,
    matchedBy,
    steps,
    metadata: null,
    occurredAt,
  };
  await recordSale(tx, payment, scope.now);
  const { learned } = await learnIdentity(tx, scope.accountId, scope.processor, fact.customer, customerId);
  return { id: customerId, newExternalId, newEmail, newlyIdentified: learned };
}

/** The customer that the attribution found; else one is made of what the payment says. */
async function payingCustomer(
  tx: Transaction,
  scope: Scope,
  { customer }: PaymentReceived,
  owner: Owner,
): Promise<Omit<PayingCustomer, 'newlyIdentified'>> {
  const externalId = customer.externalIds[0]?.value ?? null;
  if (owner.customerId !== null && (owner.externalId !== null || externalId === null)) {
    if (owner.email === null || owner.name === null) await fillCustomer(tx, owner.customerId, customer);
    return { id: owner.customerId, newExternalId: null, newEmail: owner.email === null ? customer.email : null };
  }
  const profile = { email: customer.email, name: customer.name, avatar: null };
  if (externalId === null) {
    const known = owner.clickId === null ? undefined : await findCustomerByClick(tx, scope.accountId, owner.clickId);
    if (known) await fillCustomer(tx, known.id, customer);
    const { id, email } = known ?? (await createGuest(tx, scope, owner, profile));
    return { id, newExternalId: null, newEmail: known?.email ? null : (email ?? customer.email) };
  }
  const bound = await bindCustomer(tx, scope, externalId, owner, profile);
  return { id: bound.customer.id, newExternalId: bound.isNew ? externalId : null, newEmail: customer.email };
}
