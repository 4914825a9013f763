import { claimKeys } from '../../app/claims.ts';
import type { CustomerHints } from '../../core/facts.ts';
import type { AccountId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { ClaimKey, Transaction } from '../../storage/database.ts';
import { isErased } from '../erasure/erase.ts';
import { type CustomerProfile, type CustomerRow, findCustomer, moveFromDeletedPartner } from '../queries/customers.ts';
import { findOwnerByPartner, type Owner } from '../queries/owners.ts';

/** A person as another service names them. */
export interface ImportedPerson {
  externalId: string;
  email: string | null;
  name: string | null;
}

/** A processor's id of a person. */
export interface AtProcessor {
  processor: PaymentProcessor;
  customerId: string;
}

/** The keys to claim for the person. */
export function claimsOfImported(
  accountId: AccountId,
  { externalId, email }: ImportedPerson,
  atProcessor: AtProcessor | null,
): ClaimKey[] {
  return [
    claimKeys.external(accountId, externalId),
    ...(email === null ? [] : [claimKeys.email(accountId, email)]),
    ...(atProcessor === null ? [] : [claimKeys.identity(accountId, atProcessor.processor, atProcessor.customerId)]),
  ];
}

/** Looks up whose the person will be, and what is known of them; see `Transaction.lookAhead`. */
export async function lookAheadToBuyer(
  tx: Transaction,
  accountId: AccountId,
  partnerId: string,
  { externalId }: Pick<ImportedPerson, 'externalId'>,
): Promise<void> {
  await Promise.all([
    findOwnerByPartner(tx, accountId, partnerId),
    findCustomer(tx, accountId, externalId),
    isErased(tx, accountId, externalId),
  ]);
}

/**
 * Moves a customer of another partner, if that partner was deleted; otherwise the customer stays. Claims the customer, so that
 * a payment which is parked at the same moment, because it may not be earned in the other program, is found afterwards.
 */
export async function moveToOwner(tx: Transaction, stored: CustomerRow, owner: Owner): Promise<boolean> {
  if (stored.partnerId === owner.partnerId) return false;
  await tx.claim(() => [claimKeys.customer(stored.id)]);
  return moveFromDeletedPartner(tx, stored.id, owner);
}

/** What may be stored of the person besides the id: nothing of one who was erased. */
export async function profileOfImported(
  tx: Transaction,
  accountId: AccountId,
  { externalId, email, name }: ImportedPerson,
): Promise<CustomerProfile> {
  const isKept = !(await isErased(tx, accountId, externalId));
  return { email: isKept ? email : null, name: isKept ? name : null, avatar: null };
}

/** What the import says about the processor's customer. */
export function hintsOfImported(
  { externalId, email, name }: ImportedPerson,
  processorCustomerId: string | null,
): CustomerHints {
  return {
    externalIds: [{ value: externalId, place: 'import' }],
    clickIds: [],
    processorCustomerId,
    subscriptionId: null,
    email: email?.toLowerCase() ?? null,
    name,
  };
}
