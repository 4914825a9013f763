import { claimKeys, claimsOfCustomer } from '../app/claims.ts';
import type { CustomerHints, CustomerIdentified, PaymentReceived } from '../core/facts.ts';
import { withGivenCodes } from '../core/given-codes.ts';
import { identityKeysOf, movesSubscription, statementOf } from '../core/identity.ts';
import type { AccountId, CustomerId } from '../core/ids.ts';
import type { FactOutcome } from '../core/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import { backfillParked } from './backfill.ts';
import { fillProfile } from './queries/customers.ts';
import {
  findProcessorIdentities,
  releaseSubscription,
  type StoredIdentity,
  storeIdentity,
  updateGivenCodes,
} from './queries/identities.ts';
import { findOwnerByClick, findOwnerByExternalId } from './queries/owners.ts';
import type { ProcessorScope } from './scope.ts';

/**
 * Stores the ids, e-mail address, name and discount codes that a processor reported about a person, and attributes the
 * payments parked for them.
 */
export async function identifyCustomer(
  tx: Transaction,
  scope: ProcessorScope,
  fact: CustomerIdentified,
): Promise<FactOutcome> {
  const { customer: hints } = fact;
  const keys = identityKeysOf(hints);
  const stored = keys.length === 0 ? [] : await findProcessorIdentities(tx, scope, keys);
  const named = await findNamed(tx, scope.accountId, hints);
  const subscription = stored.find(({ kind }) => kind === 'subscription');
  const isMoved =
    named !== undefined &&
    subscription &&
    movesSubscription(
      subscription,
      named,
      stored.find(({ kind }) => kind === 'customer'),
    );
  if (isMoved && hints.subscriptionId !== null) await releaseSubscription(tx, scope, hints.subscriptionId);
  const { keys: ofPerson, identity } = statementOf(hints, named, stored);
  if (named === undefined && identity.externalId !== null) {
    identity.customerId ??= await findCustomerId(tx, scope.accountId, identity.externalId);
  }
  const changed = await storeIdentity(tx, scope, ofPerson, identity);
  const learned = (await storeGivenCodes(tx, scope, fact, stored)) || changed > 0;
  const { customerId, email, name } = identity;
  if (customerId !== null && (email !== null || name !== null)) {
    await fillProfile(tx, customerId, { email, name, avatar: null });
  }
  const { saleIds } = await backfillParked(tx, scope, {
    newCustomer: null,
    email: customerId === null ? null : email,
    identities: learned ? { processor: scope.processor, keys } : null,
  });
  const [saleId] = saleIds;
  if (saleId !== undefined) return { outcome: 'noted', reason: `attributed ${saleIds.join(', ')}`, saleId };
  return { outcome: 'noted', reason: learned ? 'identity learned' : null, saleId: null };
}

/**
 * What a payment says about its customer counts for other payments, too, if it stays parked because of the programs that may
 * earn it: the customer's may be another one. Any other payment that stays parked says nothing that would help.
 */
export async function identifyPayer(
  tx: Transaction,
  scope: ProcessorScope,
  { customer, occurredAt, onlyPrograms }: PaymentReceived,
): Promise<void> {
  if (onlyPrograms === undefined) return;
  await tx.claim(() => claimsOfCustomer(scope.accountId, scope.processor, { ...customer, email: null }));
  await identifyCustomer(tx, scope, { kind: 'customer.identified', customer, occurredAt });
}

/**
 * Stores the codes of a report with its subscription, otherwise with its customer, which `storeIdentity` has stored. Returns
 * whether any was new.
 */
async function storeGivenCodes(
  tx: Transaction,
  scope: ProcessorScope,
  { customer: hints, discountCodes = [], occurredAt }: CustomerIdentified,
  stored: readonly StoredIdentity[],
): Promise<boolean> {
  const key = identityKeysOf(hints).at(-1);
  if (key === undefined || discountCodes.length === 0) return false;
  const known = stored.find(({ kind }) => kind === key.kind)?.givenCodes ?? [];
  const given = withGivenCodes(known, discountCodes, occurredAt);
  if (given !== known) await updateGivenCodes(tx, scope, key, given);
  return given !== known;
}

/** The customer whom the hints name, null if unknown so far; undefined when they name nobody. */
async function findNamed(
  tx: Transaction,
  accountId: AccountId,
  { externalIds, clickIds }: CustomerHints,
): Promise<CustomerId | null | undefined> {
  for (const { value } of externalIds) {
    const customerId = await findCustomerId(tx, accountId, value);
    if (customerId !== null) return customerId;
  }
  if (externalIds.length > 0) return null;
  // a click that was never recorded names nobody
  for (const { value } of clickIds) if (await findOwnerByClick(tx, accountId, value)) return null;
  return undefined;
}

async function findCustomerId(tx: Transaction, accountId: AccountId, externalId: string): Promise<CustomerId | null> {
  await tx.claim(() => [claimKeys.external(accountId, externalId)]);
  return (await findOwnerByExternalId(tx, accountId, externalId))?.customerId ?? null;
}
