import type { AccountId, ClickId, CustomerId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface CustomerProfile {
  email: string | null;
  name: string | null;
  avatar: string | null;
}

export interface CustomerRow extends CustomerProfile {
  id: CustomerId;
  externalId: string | null;
  clickId: ClickId | null;
  linkId: LinkId | null;
  partnerId: PartnerId;
  programId: ProgramId;
  createdAt: number;
}

const COLUMNS = `id, external_id AS "externalId", email, name, avatar, click_id AS "clickId", link_id AS "linkId",
  partner_id AS "partnerId", program_id AS "programId", created_at AS "createdAt"`;

/** Adds a customer; false when the external id, or the guest's click, is taken. */
export async function insertCustomer(tx: Transaction, accountId: AccountId, customer: CustomerRow): Promise<boolean> {
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

export function findCustomer(tx: Transaction, accountId: AccountId, externalId: string) {
  return tx.get<CustomerRow>(
    `SELECT ${COLUMNS} FROM customers WHERE account_id = @accountId AND external_id = @externalId`,
    { accountId, externalId },
  );
}

/** The first customer of this click, guest or not. Filters by click only; by account, SQLite would scan all its customers. */
export function findCustomerByClick(tx: Transaction, accountId: AccountId, clickId: ClickId) {
  return tx.get<CustomerRow>(
    `SELECT ${COLUMNS} FROM customers
     WHERE click_id = (SELECT k.id FROM clicks k WHERE k.id = @clickId AND k.account_id = @accountId)
     ORDER BY id LIMIT 1`,
    { accountId, clickId },
  );
}

/** Gives a guest its external id; undefined when it already has one. */
export function identifyGuest(tx: Transaction, customerId: CustomerId, externalId: string) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET external_id = @externalId WHERE id = @customerId AND external_id IS NULL RETURNING ${COLUMNS}`,
    { customerId, externalId },
  );
}

/** Overwrites stored values with sent ones; null keeps the stored value. */
export function overwriteProfile(tx: Transaction, customerId: CustomerId, profile: CustomerProfile) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET email = COALESCE(@email, email), email_lower = COALESCE(@emailLower, email_lower),
       name = COALESCE(@name, name), avatar = COALESCE(@avatar, avatar)
     WHERE id = @customerId RETURNING ${COLUMNS}`,
    { customerId, ...profile, emailLower: profile.email?.toLowerCase() ?? null },
  );
}

/** Fills blanks; keeps stored values. */
export function fillProfile(tx: Transaction, customerId: CustomerId, profile: CustomerProfile) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET email = COALESCE(email, @email), email_lower = COALESCE(email_lower, @emailLower),
       name = COALESCE(name, @name), avatar = COALESCE(avatar, @avatar)
     WHERE id = @customerId RETURNING ${COLUMNS}`,
    { customerId, ...profile, emailLower: profile.email?.toLowerCase() ?? null },
  );
}
