import type { SaleMatch } from '../../core/attribution.ts';
import type { CustomerHints } from '../../core/facts.ts';
import { identityFrom, identityKeysOf, movesSubscription } from '../../core/identity.ts';
import type { CustomerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { releaseSubscription, type StoredIdentity, storeIdentity } from '../queries/identities.ts';
import { findOwnerByCustomer } from '../queries/owners.ts';
import type { ProcessorScope } from '../scope.ts';

/** The processor's ids in a payment, and the customer that it was attributed to. */
export interface AttributedIds {
  hints: CustomerHints;
  customerId: CustomerId;
  stored: readonly StoredIdentity[];
  /** Null when another report of the payment decided. */
  matchedBy: SaleMatch | null;
}

/** The steps that find a customer whom the payment itself does not name. */
const WEAK_STEPS: ReadonlySet<AttributedIds['matchedBy']> = new Set([
  'processor_customer',
  'discount_code',
  'email',
  null,
]);

/**
 * Assigns a processor's ids to the customer of a payment, and returns how many changed. A customer id that is assigned stays
 * so; a subscription goes to the customer whom its payment names, and waits for one who is unknown so far.
 */
export async function assignIds(
  tx: Transaction,
  scope: ProcessorScope,
  { hints, customerId, stored, matchedBy }: AttributedIds,
): Promise<number> {
  const keys = identityKeysOf(hints);
  const { subscriptionId } = hints;
  const subscription = stored.find(({ kind }) => kind === 'subscription');
  const named = matchedBy === 'external_id' ? customerId : null;
  const isNamed = named !== null || matchedBy === 'metadata_click_id';
  const isOurs = subscription?.customerId === customerId;
  const beside = stored.find(({ kind }) => kind === 'customer');
  if (subscriptionId !== null && isNamed && !isOurs && subscription && movesSubscription(subscription, named, beside)) {
    await releaseSubscription(tx, scope, subscriptionId);
  } else if (stored.filter((identity) => identity.customerId !== null).length === keys.length) {
    // the usual case: a known customer pays again
    return 0;
  }
  const identity = identityFrom(hints, customerId);
  const isWeak = subscriptionId !== null && WEAK_STEPS.has(matchedBy);
  if (!isWeak || !(await isNamedForAnother(tx, scope, { hints, customerId, subscription }))) {
    return storeIdentity(tx, scope, keys, identity);
  }
  const customerKeys = keys.filter(({ kind }) => kind === 'customer');
  const others = keys.filter(({ kind }) => kind === 'subscription');
  const changed = await storeIdentity(tx, scope, customerKeys, identity);
  return changed + (await storeIdentity(tx, scope, others, identityFrom(hints, null)));
}

/** True when the payment or an earlier report says that the subscription is that of somebody else. */
async function isNamedForAnother(
  tx: Transaction,
  { accountId }: ProcessorScope,
  {
    hints,
    customerId,
    subscription,
  }: Pick<AttributedIds, 'hints' | 'customerId'> & { subscription: StoredIdentity | undefined },
): Promise<boolean> {
  const names = hints.externalIds.map(({ value }) => value);
  if (names.length === 0 && subscription?.externalId) names.push(subscription.externalId);
  if (names.length === 0) return false;
  const owner = await findOwnerByCustomer(tx, accountId, customerId);
  return owner?.externalId == null || !names.includes(owner.externalId);
}
