import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  listParameters,
  type PageBounds,
  pageSql,
  walkOf,
  walkOfPeriod,
} from '../../storage/list-filters.ts';
import type { CustomerRow } from './customers.ts';

/** A customer for display. */
export interface CustomerView extends Omit<CustomerRow, 'programId'> {
  partnerName: string;
}

const SELECT = `SELECT c.id, c.external_id AS "externalId", c.email, c.name, c.avatar, c.click_id AS "clickId",
    c.link_id AS "linkId", c.partner_id AS "partnerId",
    (SELECT n.name FROM partners n WHERE n.id = c.partner_id) AS "partnerName", c.created_at AS "createdAt"
  FROM customers c WHERE`;

const LIST = {
  alias: 'c',
  columns: {},
  walks: { email: walkOf('c', 'c.account_id = @accountId AND c.email_lower = @email'), period: walkOfPeriod('c') },
  narrow: { time: 'c.created_at', columns: {} },
};

/** Newest first. The filter `email` is in lower case. */
export function findCustomers(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<CustomerView>(`${SELECT} ${pageSql(filters, LIST)}`, {
    accountId,
    ...listParameters(filters, bounds),
  });
}

/** The account's customer with this external id. */
export function findCustomerView(tx: Transaction, accountId: AccountId, externalId: string) {
  return tx.get<CustomerView>(`${SELECT} c.account_id = @accountId AND c.external_id = @externalId`, {
    accountId,
    externalId,
  });
}

const FOUND_MAX = 100;

/**
 * Customers whose external id, or address in any case, begins with the text: at most 100 of each, in the order of the
 * text. There is no upper bound in the query, because its place depends on the collation; rows after the last match are
 * dropped.
 */
export async function searchCustomers(tx: Transaction, accountId: AccountId, text: string): Promise<CustomerView[]> {
  const address = text.toLowerCase();
  const byExternalId = await tx.all<CustomerView>(
    `${SELECT} c.account_id = @accountId AND c.external_id >= @text ORDER BY c.external_id LIMIT @limit`,
    { accountId, text, limit: FOUND_MAX },
  );
  const byEmail = await tx.all<CustomerView>(
    `${SELECT} c.account_id = @accountId AND c.email_lower IS NOT NULL AND c.email_lower >= @address
     ORDER BY c.email_lower LIMIT @limit`,
    { accountId, address, limit: FOUND_MAX },
  );
  const found = [
    ...byExternalId.filter(({ externalId }) => externalId?.startsWith(text)),
    ...byEmail.filter(({ email }) => email?.toLowerCase().startsWith(address)),
  ];
  return [...new Map(found.map((customer) => [customer.id, customer])).values()];
}
