import { markOf } from '../../app/person-marks.ts';
import type { AccountId, ClickId, CustomerId, LinkId, PartnerId, ProgramId, SaleId } from '../../core/ids.ts';
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

/**
 * Adds a customer, marked as erased when the external id is. It fails when the external id or the guest's click is
 * taken: the caller has claimed it, and found nobody.
 */
export function insertCustomer(tx: Transaction, accountId: AccountId, customer: CustomerRow): Promise<number> {
  return tx.run(
    `INSERT INTO customers (id, account_id, external_id, email, email_lower, name, avatar, click_id, link_id,
       partner_id, program_id, created_at, erased_at)
     VALUES (@id, @accountId, @externalId, @email, @emailLower, @name, @avatar, @clickId, @linkId,
       @partnerId, @programId, @createdAt,
       (SELECT m.created_at FROM erasure_marks m WHERE m.account_id = @accountId AND m.mark = @mark))`,
    {
      ...customer,
      accountId,
      emailLower: customer.email?.toLowerCase() ?? null,
      mark: markOfCustomer(accountId, customer),
    },
  );
}

function markOfCustomer(accountId: AccountId, { externalId }: CustomerRow): string {
  return externalId === null ? '' : markOf(accountId, 'external', externalId);
}

export function findCustomer(tx: Transaction, accountId: AccountId, externalId: string) {
  return tx.get<CustomerRow>(
    `SELECT ${COLUMNS} FROM customers WHERE account_id = @accountId AND external_id = @externalId`,
    { accountId, externalId },
  );
}

/** The customer, if their profile was erased. */
export function findErasedCustomer(tx: Transaction, customerId: CustomerId) {
  return tx.get<CustomerRow>(`SELECT ${COLUMNS} FROM customers WHERE id = @customerId AND erased_at IS NOT NULL`, {
    customerId,
  });
}

/** True when a customer has this lower-case address, which no erased one has. */
export async function isCustomersAddress(tx: Transaction, accountId: AccountId, email: string): Promise<boolean> {
  const sql = 'SELECT 1 AS known FROM customers WHERE account_id = @accountId AND email_lower = @email LIMIT 1';
  return (await tx.get(sql, { accountId, email })) !== undefined;
}

/** The first customers with this lower-case address. */
export function findCustomersByAddress(tx: Transaction, accountId: AccountId, email: string, limit: number) {
  return tx.all<CustomerRow>(
    `SELECT ${COLUMNS} FROM customers WHERE account_id = @accountId AND email_lower = @email
     ORDER BY id /* postgres: || '' */ LIMIT @limit`,
    { accountId, email, limit },
  );
}

/** True when the account has a customer with this external id who was not erased. */
export async function isLivingCustomer(tx: Transaction, accountId: AccountId, externalId: string): Promise<boolean> {
  const found = await tx.get(
    `SELECT 1 AS known FROM customers
     WHERE account_id = @accountId AND external_id = @externalId AND erased_at IS NULL`,
    { accountId, externalId },
  );
  return found !== undefined;
}

/** What is stored about the person that a lead or sale names. */
export interface KnownPerson {
  customer: CustomerRow | undefined;
  /** True when nothing that identifies the person may be stored. */
  isErased: boolean;
}

/**
 * The account's customer with this external id, and whether that person was erased. A single query, because every lead
 * and sale needs it.
 */
export async function findKnownPerson(tx: Transaction, accountId: AccountId, externalId: string): Promise<KnownPerson> {
  const mark = markOf(accountId, 'external', externalId);
  const found = await tx.get<CustomerRow & { erased: number | null }>(
    `SELECT ${COLUMNS},
       (SELECT 1 FROM erasure_marks m WHERE m.account_id = @accountId AND m.mark = @mark) AS erased
     FROM (SELECT 1 AS one) asked
     LEFT JOIN customers c ON c.account_id = @accountId AND c.external_id = @externalId`,
    { accountId, externalId, mark },
  );
  if (!found) throw new Error('A look-up with one row returned none');
  const { erased, ...customer } = found;
  // without a customer, all of its columns are null
  return { customer: customer.id === null ? undefined : customer, isErased: erased !== null };
}

/**
 * The first customer of this click, guest or not. Filters by click only; a filter by account would make SQLite scan all
 * the account's customers.
 */
export function findCustomerByClick(tx: Transaction, accountId: AccountId, clickId: ClickId) {
  return tx.get<CustomerRow>(
    `SELECT ${COLUMNS} FROM customers
     WHERE click_id = (SELECT k.id FROM clicks k WHERE k.id = @clickId AND k.account_id = @accountId)
     ORDER BY id LIMIT 1`,
    { accountId, clickId },
  );
}

/**
 * Gives a guest its external id; undefined when it already has one. From now on, the id decides whether the person counts as
 * erased: an erased guest who signs up is known again.
 */
export function identifyGuest(tx: Transaction, customerId: CustomerId, externalId: string) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET external_id = @externalId, erased_at = NULL
     WHERE id = @customerId AND external_id IS NULL RETURNING ${COLUMNS}`,
    { customerId, externalId },
  );
}

/** Moves a customer whose partner was deleted to another partner; returns false for others, who stay with theirs. */
export async function moveFromDeletedPartner(
  tx: Transaction,
  customerId: CustomerId,
  { partnerId, programId }: Pick<CustomerRow, 'partnerId' | 'programId'>,
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE customers SET partner_id = @partnerId, program_id = @programId
     WHERE id = @customerId AND partner_id IN (SELECT p.id FROM partners p
       WHERE p.id = customers.partner_id AND p.deleted_at IS NOT NULL)`,
    { customerId, partnerId, programId },
  );
  return changed === 1;
}

/** Overwrites stored values with sent ones; null keeps the stored value. Leaves erased persons unchanged. */
export function overwriteProfile(tx: Transaction, customerId: CustomerId, profile: CustomerProfile) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET email = COALESCE(@email, email), email_lower = COALESCE(@emailLower, email_lower),
       name = COALESCE(@name, name), avatar = COALESCE(@avatar, avatar)
     WHERE id = @customerId AND erased_at IS NULL RETURNING ${COLUMNS}`,
    { customerId, ...profile, emailLower: profile.email?.toLowerCase() ?? null },
  );
}

/** Fills blanks and keeps stored values. Leaves erased persons unchanged. */
export function fillProfile(tx: Transaction, customerId: CustomerId, profile: CustomerProfile) {
  return tx.get<CustomerRow>(
    `UPDATE customers SET email = COALESCE(email, @email), email_lower = COALESCE(email_lower, @emailLower),
       name = COALESCE(name, @name), avatar = COALESCE(avatar, @avatar)
     WHERE id = @customerId AND erased_at IS NULL RETURNING ${COLUMNS}`,
    { customerId, ...profile, emailLower: profile.email?.toLowerCase() ?? null },
  );
}

/** When the customer of a sale became known, in epoch milliseconds; null for a sale without one. */
export async function findCustomerTime(tx: Transaction, accountId: AccountId, saleId: SaleId): Promise<number | null> {
  const row = await tx.get<{ createdAt: number }>(
    `SELECT c.created_at AS "createdAt" FROM sales s JOIN customers c ON c.id = s.customer_id
     WHERE s.account_id = @accountId AND s.id = @saleId`,
    { accountId, saleId },
  );
  return row?.createdAt ?? null;
}

export function findCustomerById(tx: Transaction, accountId: AccountId, customerId: CustomerId) {
  return tx.get<CustomerRow>(`SELECT ${COLUMNS} FROM customers WHERE account_id = @accountId AND id = @customerId`, {
    accountId,
    customerId,
  });
}
