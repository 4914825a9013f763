import type { Transaction } from '../../storage/database.ts';

/** A processor's id of a person. */
export interface IdentityKey {
  kind: 'customer' | 'subscription';
  value: string;
}

/** What was learned of the person behind an id. */
export interface Identity {
  externalId: string | null;
  clickId: string | null;
  email: string | null;
  name: string | null;
  customerId: string | null;
}

export function findIdentity(tx: Transaction, accountId: string, processor: string, key: IdentityKey) {
  return tx.get<Identity>(
    `SELECT external_id AS "externalId", click_id AS "clickId", email_lower AS "email", name,
       customer_id AS "customerId"
     FROM identities
     WHERE account_id = @accountId AND processor = @processor AND kind = @kind AND value = @value`,
    { accountId, processor, ...key },
  );
}

const TIED = 'identities WHERE account_id = @accountId AND processor = @processor AND customer_id IS NOT NULL';

/** How many of these are tied to a customer, where they stay; at most two, one of each kind. */
export async function countTied(
  tx: Transaction,
  accountId: string,
  processor: string,
  keys: readonly IdentityKey[],
): Promise<number> {
  const of = (kind: IdentityKey['kind']) => keys.find((key) => key.kind === kind)?.value ?? null;
  const row = await tx.get<{ count: number }>(
    `SELECT (SELECT COUNT(*) FROM ${TIED} AND kind = 'customer' AND value = @customer)
       + (SELECT COUNT(*) FROM ${TIED} AND kind = 'subscription' AND value = @subscription) AS count`,
    { accountId, processor, customer: of('customer'), subscription: of('subscription') },
  );
  return row?.count ?? 0;
}

/**
 * Keeps what is new. Once an id is tied to a customer it stays there, and so does what was known then; until that
 * moment a later value takes the place of an earlier one, because the earlier did not lead anywhere.
 */
export function rememberIdentity(
  tx: Transaction,
  accountId: string,
  processor: string,
  key: IdentityKey,
  identity: Identity,
) {
  return tx.run(
    `INSERT INTO identities
       (account_id, processor, kind, value, external_id, click_id, email_lower, name, customer_id)
     VALUES (@accountId, @processor, @kind, @value, @externalId, @clickId, @email, @name, @customerId)
     ON CONFLICT (account_id, processor, kind, value) DO UPDATE SET
       external_id = COALESCE(excluded.external_id, identities.external_id),
       click_id = COALESCE(excluded.click_id, identities.click_id),
       email_lower = COALESCE(excluded.email_lower, identities.email_lower),
       name = COALESCE(excluded.name, identities.name),
       customer_id = excluded.customer_id
     WHERE identities.customer_id IS NULL`,
    { accountId, processor, ...key, ...identity },
  );
}

/**
 * A customer appeared that ids were waiting for: ties them to it. Returns what was known of the person behind each.
 * The account is compared as an expression, because SQLite would rather go through all of its ids in the primary key.
 */
export function tieIdentities(tx: Transaction, accountId: string, externalId: string, customerId: string) {
  return tx.all<Pick<Identity, 'email' | 'name'>>(
    `UPDATE identities SET customer_id = @customerId
     WHERE external_id = @externalId AND account_id || '' = @accountId AND customer_id IS NULL
     RETURNING email_lower AS email, name`,
    { accountId, externalId, customerId },
  );
}
