import type { AccountId } from '../../core/ids.ts';
import type { TextRange } from '../../core/text-starts.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  listParameters,
  type PageBounds,
  pageSql,
  walkOfFew,
  walkOfPeriod,
} from '../../storage/list-filters.ts';
import type { CustomerRow } from './customers.ts';

/** A customer for display. */
export interface CustomerView extends Omit<CustomerRow, 'programId'> {
  partnerName: string;
}

const SELECT_FROM = `SELECT c.id, c.external_id AS "externalId", c.email, c.name, c.avatar, c.click_id AS "clickId",
    c.link_id AS "linkId", c.partner_id AS "partnerId",
    (SELECT n.name FROM partners n WHERE n.id = c.partner_id) AS "partnerName", c.created_at AS "createdAt"
  FROM`;
const SELECT = `${SELECT_FROM} customers c WHERE`;

const BY_CODE_POINT = '/* postgres: COLLATE "C" */';

const LIST = {
  alias: 'c',
  columns: {},
  walks: { email: walkOfFew('c', 'c.account_id = @accountId AND c.email_lower = @email'), period: walkOfPeriod('c') },
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

/** Where a search begins, and how many customers it finds. */
interface SearchStart {
  start: string;
  limit: number;
}

const entriesFrom = (column: string) =>
  `c.account_id = @accountId AND ${column} IS NOT NULL AND ${column} >= @start ORDER BY ${column}`;

/** The first customers whose text is `start` or follows it, in the order of the database's collation. */
const findFrom = (column: string) => (tx: Transaction, accountId: AccountId, from: SearchStart) =>
  tx.all<CustomerView>(`${SELECT} ${entriesFrom(column)} LIMIT @limit`, { accountId, ...from });

export const customersFrom = { externalId: findFrom('c.external_id'), address: findFrom('c.email_lower') };
/** What a search of customers compares; the address is in lower case. */
export type SearchedText = keyof typeof customersFrom;

/**
 * As `customersFrom`, those in the range only. Reads at most `most` entries of the index, and nothing else of customers
 * out of the range.
 */
const findInRange =
  (column: string) =>
  (tx: Transaction, accountId: AccountId, { range, ...from }: SearchStart & { range: TextRange; most: number }) =>
    tx.all<CustomerView>(
      `${SELECT_FROM} (SELECT DISTINCT t.text
         FROM (SELECT ${column} AS text FROM customers c WHERE ${entriesFrom(column)} LIMIT @most) t
         WHERE t.text ${BY_CODE_POINT} >= @from AND t.text ${BY_CODE_POINT} < @to ORDER BY t.text LIMIT @limit) f
       CROSS JOIN customers c
       WHERE c.account_id = @accountId AND ${column} = f.text ORDER BY f.text LIMIT @limit`,
      { accountId, ...from, ...range },
    );

export const customersInRange = {
  externalId: findInRange('c.external_id'),
  address: findInRange('c.email_lower'),
};
