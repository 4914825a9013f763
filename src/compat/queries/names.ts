import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { inAccount, manyIds } from '../../storage/many-ids.ts';

/** A link with the members that clients of other products know. */
export interface LinkNames {
  id: string;
  domain: string;
  key: string;
  url: string;
  programId: string;
  partnerId: string;
  tenantId: string | null;
  externalId: string | null;
}

// by id alone; the concatenation keeps the engine from leading with the index by account
const LINKS = manyIds<LinkNames>(
  (list) => `
  SELECT l.id, l.domain, l.key, l.url, l.program_id AS "programId", l.partner_id AS "partnerId",
    p.tenant_id AS "tenantId", e.external_id AS "externalId"
  FROM links l
  JOIN partners p ON p.id = l.partner_id
  LEFT JOIN link_external_ids e ON e.link_id = l.id
  WHERE l.id IN ${list} AND l.account_id || '' = @accountId`,
);

/** The account's links with these ids. */
export async function findLinkNames(
  tx: Transaction,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Map<string, LinkNames>> {
  return byId(await LINKS(tx, ids, { accountId }));
}

/** The members of a partner that other resources show. */
export interface PartnerNames {
  id: string;
  name: string;
  email: string;
  tenantId: string | null;
}

const PARTNERS = manyIds<PartnerNames>(
  (list) => `
  SELECT p.id, p.name, p.email, p.tenant_id AS "tenantId" FROM partners p
  WHERE p.id IN ${list} AND p.account_id || '' = @accountId`,
);

/** The account's partners with these ids. */
export async function findPartnerNames(
  tx: Transaction,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Map<string, PartnerNames>> {
  return byId(await PARTNERS(tx, ids, { accountId }));
}

/** The members that a list of sales leaves out. */
export interface SaleNames {
  id: string;
  metadata: string | null;
  customerId: string;
  externalId: string | null;
  email: string | null;
  name: string | null;
  avatar: string | null;
  customerSince: number;
}

const SALES = manyIds<SaleNames>(
  (list) => `
  SELECT s.id, s.metadata, c.id AS "customerId", c.external_id AS "externalId", c.email, c.name, c.avatar,
    c.created_at AS "customerSince"
  FROM sales s JOIN customers c ON c.id = s.customer_id
  WHERE ${inAccount('s', list)}`,
);

/** The account's sales with these ids. */
export async function findSaleNames(
  tx: Transaction,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Map<string, SaleNames>> {
  return byId(await SALES(tx, ids, { accountId }));
}

/** The external id of a customer; undefined when the account has no such customer. */
export function findCustomerExternalId(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<{ externalId: string | null }>(
    'SELECT external_id AS "externalId" FROM customers WHERE account_id = @accountId AND id = @id',
    { accountId, id },
  );
}

function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
