import type { GivenCode } from '../../core/given-codes.ts';
import type { Identity, IdentityKey } from '../../core/identity.ts';
import type { AccountId, CustomerId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** The stored identity behind an id of this kind. */
export interface StoredIdentity extends Identity {
  kind: IdentityKey['kind'];
  givenCodes: readonly GivenCode[];
}

interface IdentityRow extends Identity, Pick<StoredIdentity, 'kind'> {
  givenCodes: string | null;
}

/** The account and processor that ids belong to. */
interface IdentityOwner {
  accountId: AccountId;
  processor: PaymentProcessor;
}

const IDENTITY = `SELECT kind, external_id AS "externalId", click_id AS "clickId", email_lower AS "email", name,
    customer_id AS "customerId", discount_codes AS "givenCodes"
  FROM identities WHERE account_id = @accountId AND processor = @processor`;

const BY_KEYS = `${IDENTITY} AND kind = 'customer' AND value = @customer
  UNION ALL ${IDENTITY} AND kind = 'subscription' AND value = @subscription`;

/** The identities stored for these ids, at most one of each kind. Unknown ids are left out. */
export async function findProcessorIdentities(
  tx: Transaction,
  { accountId, processor }: IdentityOwner,
  keys: readonly IdentityKey[],
): Promise<StoredIdentity[]> {
  const idOf = (kind: IdentityKey['kind']) => keys.find((key) => key.kind === kind)?.value ?? null;
  const rows = await tx.all<IdentityRow>(BY_KEYS, {
    accountId,
    processor,
    customer: idOf('customer'),
    subscription: idOf('subscription'),
  });
  return rows.map(asIdentity);
}

const NO_CODES: readonly GivenCode[] = [];

// copied member by member, because every payment reads its identities
function asIdentity({ kind, externalId, clickId, email, name, customerId, givenCodes }: IdentityRow): StoredIdentity {
  const codes = givenCodes === null ? NO_CODES : JSON.parse(givenCodes);
  return { kind, externalId, clickId, email, name, customerId, givenCodes: codes };
}

const upsertIdentities = manyRows({
  before: `INSERT INTO identities
    (account_id, processor, kind, value, external_id, click_id, email_lower, name, customer_id) VALUES`,
  names: ['accountId', 'processor', 'kind', 'value', 'externalId', 'clickId', 'email', 'name', 'customerId'],
  after: `ON CONFLICT (account_id, processor, kind, value) DO UPDATE SET
      external_id = COALESCE(excluded.external_id, identities.external_id),
      click_id = COALESCE(excluded.click_id, identities.click_id),
      email_lower = CASE WHEN excluded.customer_id IS NULL
        THEN COALESCE(excluded.email_lower, identities.email_lower) END,
      name = CASE WHEN excluded.customer_id IS NULL THEN COALESCE(excluded.name, identities.name) END,
      customer_id = excluded.customer_id
    WHERE identities.customer_id IS NULL`,
});

/** Forgets whose a subscription is, so that `storeIdentity` stores it anew. */
export function releaseSubscription(tx: Transaction, { accountId, processor }: IdentityOwner, subscriptionId: string) {
  return tx.run(
    `UPDATE identities SET external_id = NULL, click_id = NULL, customer_id = NULL
     WHERE account_id = @accountId AND processor = @processor AND kind = 'subscription' AND value = @subscriptionId`,
    { accountId, processor, subscriptionId },
  );
}

/**
 * Stores the identity for each id, and returns the number of ids that changed. An id that is assigned to a customer no
 * longer changes. Until then, later values replace earlier ones, because the earlier ones matched nobody. The address
 * and name of an assigned id are stored with the customer only.
 */
export function storeIdentity(
  tx: Transaction,
  { accountId, processor }: IdentityOwner,
  keys: readonly IdentityKey[],
  identity: Identity,
): Promise<number> {
  return upsertIdentities(
    tx,
    keys.map((key) => ({
      accountId,
      processor,
      ...(identity.customerId === null ? identity : unnamed(identity)),
      ...key,
    })),
  );
}

/** Replaces the codes of a stored id, whether or not it is assigned to a customer. */
export function updateGivenCodes(
  tx: Transaction,
  { accountId, processor }: IdentityOwner,
  { kind, value }: IdentityKey,
  givenCodes: readonly GivenCode[],
) {
  return tx.run(
    `UPDATE identities SET discount_codes = @codes
     WHERE account_id = @accountId AND processor = @processor AND kind = @kind AND value = @value`,
    { accountId, processor, kind, value, codes: JSON.stringify(givenCodes) },
  );
}

function unnamed(identity: Identity): Identity {
  return { ...identity, email: null, name: null };
}

/** The account is compared as an expression; otherwise SQLite would scan all its ids by the primary key. */
const IS_UNASSIGNED = "WHERE external_id = @externalId AND account_id || '' = @accountId AND customer_id IS NULL";
const UNASSIGNED = `SELECT processor, kind, value, email_lower AS email, name FROM identities ${IS_UNASSIGNED}`;

/** Most people have fewer. Between two parts, SQLite answers other requests. */
const ASSIGNED_AT_ONCE = 1_000;
const ASSIGN = `UPDATE identities SET customer_id = @customerId, email_lower = NULL, name = NULL
  WHERE account_id = @accountId AND customer_id IS NULL AND (processor, kind, value) IN (
    SELECT processor, kind, value FROM identities ${IS_UNASSIGNED} LIMIT @limit)`;

/**
 * Assigns ids with this external id to the new customer. Returns the address and the name that were known, each from the
 * first id that has one: what a profile takes from them must not depend on which was reported first. From now on, names
 * and addresses are stored with the customer only.
 */
export async function assignIdentities(
  tx: Transaction,
  accountId: AccountId,
  { id: customerId, externalId }: { id: CustomerId; externalId: string },
): Promise<Pick<Identity, 'email' | 'name'>> {
  const unassigned = await tx.all<NamedIdentity>(UNASSIGNED, { accountId, externalId });
  let assigned = unassigned.length === 0 ? 0 : ASSIGNED_AT_ONCE;
  while (assigned === ASSIGNED_AT_ONCE) {
    assigned = await tx.run(ASSIGN, { accountId, externalId, customerId, limit: ASSIGNED_AT_ONCE });
  }
  const firstKnown = (member: 'email' | 'name') => {
    let first: NamedIdentity | undefined;
    // not sorted, which takes milliseconds for thousands
    for (const one of unassigned) {
      if (one[member] !== null && (first === undefined || byKey(one, first) < 0)) first = one;
    }
    return first?.[member] ?? null;
  };
  return { email: firstKnown('email'), name: firstKnown('name') };
}

export interface NamedIdentity extends IdentityKey, Pick<Identity, 'email' | 'name'> {
  processor: PaymentProcessor;
}

/** A processor's id, whatever it says about a person. */
export type ProcessorId = Pick<NamedIdentity, 'processor' | 'kind' | 'value'>;

/** Sorted here, because the engines return rows in different orders, and their collations differ. */
function byKey(one: ProcessorId, other: ProcessorId): number {
  return compare(one.processor, other.processor) || compare(one.kind, other.kind) || compare(one.value, other.value);
}

// thousands of ids are compared a hundred thousand times, so no text is put together for it
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Erases the personal data of ids with this external id that no customer owns yet. */
export function eraseUnassigned(tx: Transaction, accountId: AccountId, externalId: string) {
  return tx.run(
    `UPDATE identities SET email_lower = NULL, name = NULL
     WHERE external_id = @externalId AND account_id || '' = @accountId AND customer_id IS NULL
       AND (email_lower IS NOT NULL OR name IS NOT NULL)`,
    { accountId, externalId },
  );
}

/** Ids with this external id that are not assigned to a customer, sorted, and what they say about the person. */
export async function findUnassigned(tx: Transaction, accountId: AccountId, externalId: string) {
  return (await tx.all<NamedIdentity>(UNASSIGNED, { accountId, externalId })).sort(byKey);
}

/** Those of `findUnassigned` under which payments are parked. */
export async function findUnassignedParked(tx: Transaction, accountId: AccountId, externalId: string) {
  const found = await tx.all<ProcessorId>(
    `SELECT i.processor, i.kind, i.value FROM identities i
     WHERE i.external_id = @externalId AND i.account_id || '' = @accountId AND i.customer_id IS NULL
       AND EXISTS (SELECT 1 FROM parked_hints h
         WHERE h.account_id = @accountId AND h.kind = i.kind AND h.value = i.processor || ':' || i.value)`,
    { accountId, externalId },
  );
  return found.sort(byKey);
}

/** Sorted ids with this lower-case address, none of which is assigned to a customer. Reads all ids of the account. */
export async function findByAddress(tx: Transaction, accountId: AccountId, email: string) {
  const found = await tx.all<NamedIdentity>(
    `SELECT processor, kind, value, email_lower AS email, name FROM identities
     WHERE account_id = @accountId AND email_lower = @email`,
    { accountId, email },
  );
  return found.sort(byKey);
}
