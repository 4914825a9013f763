import type { Transaction } from '../../storage/database.ts';

export interface CustomerProfile {
  email: string | null;
  name: string | null;
  avatar: string | null;
}

export interface CustomerRow extends CustomerProfile {
  id: string;
  externalId: string | null;
  clickId: string | null;
  linkId: string | null;
  partnerId: string;
  programId: string;
  createdAt: number;
}

const COLUMNS = `id, external_id AS "externalId", email, name, avatar, click_id AS "clickId", link_id AS "linkId",
  partner_id AS "partnerId", program_id AS "programId", created_at AS "createdAt"`;

/** False when the external id, or the guest's click, is taken. */
export async function insertCustomer(tx: Transaction, accountId: string, customer: CustomerRow): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO customers (id, account_id, external_id, email, email_lower, name, avatar, click_id, link_id,
       partner_id, program_id, created_at)
     VALUES (@id, @accountId, @externalId, @email, @emailLower, @name, @avatar, @clickId, @linkId,
       @partnerId, @programId, @createdAt)
     ON CONFLICT DO NOTHING`,
    { ...customer, accountId, emailLower: customer.email?.toLowerCase() ?? null },
  );
  return changed === 1;
}

export function findCustomer(tx: Transaction, accountId: string, externalId: string) {
  return tx.get<CustomerRow>(
    `SELECT ${COLUMNS} FROM customers WHERE account_id = @accountId AND external_id = @externalId`,
    { accountId, externalId },
  );
}

/** The first customer that came by this click, a guest or not. By the click alone: SQLite would look at all of the account's. */
export function findCustomerByClick(tx: Transaction, accountId: string, clickId: string) {
  return tx.get<CustomerRow>(
    `SELECT ${COLUMNS} FROM customers
     WHERE click_id = (SELECT k.id FROM clicks k WHERE k.id = @clickId AND k.account_id = @accountId)
     ORDER BY id LIMIT 1`,
    { accountId, clickId },
  );
}

/** A guest becomes the caller's customer; undefined when it has an external id by now. */
export function nameGuest(tx: Transaction, customerId: string, externalId: string) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET external_id = @externalId WHERE id = @customerId AND external_id IS NULL RETURNING ${COLUMNS}`,
    { customerId, externalId },
  );
}

/** Sent values take the place of stored ones; null leaves what is stored. */
export function overwriteProfile(tx: Transaction, customerId: string, profile: CustomerProfile) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET email = COALESCE(@email, email), email_lower = COALESCE(@emailLower, email_lower),
       name = COALESCE(@name, name), avatar = COALESCE(@avatar, avatar)
     WHERE id = @customerId RETURNING ${COLUMNS}`,
    { customerId, ...profile, emailLower: profile.email?.toLowerCase() ?? null },
  );
}

/** Values fill blanks only; what is stored stays. */
export function fillProfile(tx: Transaction, customerId: string, profile: CustomerProfile) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET email = COALESCE(email, @email), email_lower = COALESCE(email_lower, @emailLower),
       name = COALESCE(name, @name), avatar = COALESCE(avatar, @avatar)
     WHERE id = @customerId RETURNING ${COLUMNS}`,
    { customerId, ...profile, emailLower: profile.email?.toLowerCase() ?? null },
  );
}

/** Null where none is known. */
export async function findCustomerEmail(tx: Transaction, customerId: string): Promise<string | null> {
  const row = await tx.get<{ email: string | null }>('SELECT email FROM customers WHERE id = @customerId', {
    customerId,
  });
  return row?.email ?? null;
}
