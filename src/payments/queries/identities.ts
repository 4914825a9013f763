import type { Identity, IdentityKey } from '../../core/identity.ts';
import type { AccountId, CustomerId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** The stored identity behind an id of this kind. */
export interface StoredIdentity extends Identity {
  kind: IdentityKey['kind'];
}

/** The account and processor of ids. */
interface IdentityOwner {
  accountId: AccountId;
  processor: PaymentProcessor;
}

const IDENTITY = `SELECT kind, external_id AS "externalId", click_id AS "clickId", email_lower AS "email", name,
    customer_id AS "customerId"
  FROM identities WHERE account_id = @accountId AND processor = @processor`;

const BY_KEYS = `${IDENTITY} AND kind = 'customer' AND value = @customer
  UNION ALL ${IDENTITY} AND kind = 'subscription' AND value = @subscription`;

/** The stored identities of these ids, at most one of each kind; unknown ids are left out. */
export function findProcessorIdentities(
  tx: Transaction,
  { accountId, processor }: IdentityOwner,
  keys: readonly IdentityKey[],
): Promise<StoredIdentity[]> {
  const idOf = (kind: IdentityKey['kind']) => keys.find((key) => key.kind === kind)?.value ?? null;
  return tx.all<StoredIdentity>(BY_KEYS, {
    accountId,
    processor,
    customer: idOf('customer'),
    subscription: idOf('subscription'),
  });
}

const upsertIdentities = manyRows({
  before: `INSERT INTO identities
    (account_id, processor, kind, value, external_id, click_id, email_lower, name, customer_id) VALUES`,
  names: ['accountId', 'processor', 'kind', 'value', 'externalId', 'clickId', 'email', 'name', 'customerId'],
  after: `ON CONFLICT (account_id, processor, kind, value) DO UPDATE SET
      external_id = COALESCE(excluded.external_id, identities.external_id),
      click_id = COALESCE(excluded.click_id, identities.click_id),
      email_lower = COALESCE(excluded.email_lower, identities.email_lower),
      name = COALESCE(excluded.name, identities.name),
      customer_id = excluded.customer_id
    WHERE identities.customer_id IS NULL`,
});

/**
 * Stores the identity for each id, and returns how many ids changed. Once an id is assigned to a customer, it no longer
 * changes; until then, later values replace earlier ones, because the earlier ones matched nobody.
 */
export function storeIdentity(
  tx: Transaction,
  { accountId, processor }: IdentityOwner,
  keys: readonly IdentityKey[],
  identity: Identity,
): Promise<number> {
  return upsertIdentities(
    tx,
    keys.map((key) => ({ accountId, processor, ...identity, ...key })),
  );
}

/**
 * Assigns ids with this external id to the new customer. Returns what was known about the person behind each. Compares the
 * account as an expression, because SQLite would otherwise scan all of its ids by the primary key.
 */
export function assignIdentities(
  tx: Transaction,
  accountId: AccountId,
  customer: { id: CustomerId; externalId: string },
): Promise<Pick<Identity, 'email' | 'name'>[]> {
  const { id: customerId, externalId } = customer;
  return tx.all(
    `UPDATE identities SET customer_id = @customerId
     WHERE external_id = @externalId AND account_id || '' = @accountId AND customer_id IS NULL
     RETURNING email_lower AS email, name`,
    { accountId, externalId, customerId },
  );
}
