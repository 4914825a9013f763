import type { CustomerHints } from '../core/facts.ts';
import { identityKeysOf } from '../core/identity.ts';
import type { CustomerId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { backfillParked } from './backfill.ts';
import { learnIdentity } from './identity/identities.ts';
import { fillReportedProfile } from './identity/reported-profile.ts';
import { fillProfile } from './queries/customers.ts';
import { findProcessorIdentities } from './queries/identities.ts';
import type { ProcessorScope } from './scope.ts';

/**
 * Assigns the processor's ids in the hints to the sale's customer, fills the customer's profile with what was reported about
 * the person behind new ids, and attributes the parked payments that these match.
 */
export async function learnPayer(
  tx: Transaction,
  scope: ProcessorScope,
  { customerId }: { customerId: CustomerId },
  hints: CustomerHints,
): Promise<void> {
  const keys = identityKeysOf(hints);
  const stored = keys.length === 0 ? [] : await findProcessorIdentities(tx, scope, keys);
  const { email, name } = hints;
  const isNew = stored.filter((identity) => identity.customerId !== null).length < keys.length;
  if (isNew && (email !== null || name !== null)) await fillProfile(tx, customerId, { email, name, avatar: null });
  const reported = await fillReportedProfile(tx, scope, { hints, customerId, stored });
  const identities = await learnIdentity(tx, scope, { hints, customerId, stored, matchedBy: null });
  if (identities === null) return;
  await backfillParked(tx, scope, { newCustomer: null, email: email ?? reported.email, identities });
}
