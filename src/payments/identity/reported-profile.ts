import { markOf } from '../../app/person-marks.ts';
import type { CustomerHints } from '../../core/facts.ts';
import { type Identity, identityKeysOf } from '../../core/identity.ts';
import type { AccountId, CustomerId } from '../../core/ids.ts';
import { isMarked } from '../../inbox/marks.ts';
import type { Transaction } from '../../storage/database.ts';
import { fillProfile } from '../queries/customers.ts';
import { findProcessorIdentities, type StoredIdentity } from '../queries/identities.ts';
import type { ProcessorScope } from '../scope.ts';

/** The e-mail address and name that a processor reported for its ids of a person. */
export type ReportedProfile = Pick<Identity, 'email' | 'name'>;

const NO_PROFILE: ReportedProfile = { email: null, name: null };

/**
 * What is stored with the processor's ids about a payer. Nulls once the ids belong to a customer, whose own row has it, and
 * for an erased person.
 *
 * @param identities the stored identities of the ids in the hints
 */
export async function reportedProfileOf(
  tx: Transaction,
  accountId: AccountId,
  { externalIds }: CustomerHints,
  identities: readonly StoredIdentity[],
): Promise<ReportedProfile> {
  const unassigned = identities.filter(({ customerId }) => customerId === null);
  const email = unassigned.find((identity) => identity.email !== null)?.email ?? null;
  const name = unassigned.find((identity) => identity.name !== null)?.name ?? null;
  if (email === null && name === null) return NO_PROFILE;
  const named = [...externalIds.map(({ value }) => value), ...unassigned.flatMap(({ externalId }) => externalId ?? [])];
  const marks = [...new Set(named)].map((value) => markOf(accountId, 'external', value));
  if (email !== null) marks.push(markOf(accountId, 'email', email));
  for (const mark of marks) if (await isMarked(tx, accountId, mark)) return NO_PROFILE;
  return { email, name };
}

/** A processor's ids of a customer. */
interface IdentifiedCustomer {
  hints: CustomerHints;
  customerId: CustomerId;
  /** The stored identities of the ids in the hints; null when not looked up yet. */
  stored: readonly StoredIdentity[] | null;
}

/**
 * Fills the blanks of the customer's profile from what the processor reported for the ids. Call it before the ids are
 * assigned to the customer, which erases it there.
 */
export async function fillReportedProfile(
  tx: Transaction,
  scope: ProcessorScope,
  { hints, customerId, stored }: IdentifiedCustomer,
): Promise<ReportedProfile> {
  const keys = identityKeysOf(hints);
  if (keys.length === 0) return NO_PROFILE;
  const identities = stored ?? (await findProcessorIdentities(tx, scope, keys));
  const profile = await reportedProfileOf(tx, scope.accountId, hints, identities);
  if (profile !== NO_PROFILE) await fillProfile(tx, customerId, { ...profile, avatar: null });
  return profile;
}
