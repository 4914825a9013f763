import type { TraceStep } from '../../core/attribution.ts';
import type { AccountId, ClickId, CustomerId, DeliveryId, PaymentId, SaleId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { inAccount, manyIds } from '../../storage/many-ids.ts';

/** Removes the profile for good; nothing fills it again. Keeps an earlier time of erasure. */
export function eraseProfile(tx: Transaction, customerId: CustomerId, now: number) {
  return tx.run(
    `UPDATE customers SET email = NULL, email_lower = NULL, name = NULL, avatar = NULL,
       erased_at = COALESCE(erased_at, @now)
     WHERE id = @customerId`,
    { customerId, now },
  );
}

/** A sale, and the sources of its payment's data. */
export interface SaleOfPerson {
  id: SaleId;
  clickId: ClickId | null;
  paymentId: PaymentId;
  deliveryId: DeliveryId | null;
  occurredAt: number;
  steps: TraceStep[];
  /** As JSON: parsing that of all sales at once would take long. */
  metadata: string | null;
}

/** A place among the sales of a customer, which are in the order of time, then of ids. */
export interface SalePlace {
  customerId: CustomerId;
  occurredAt: number;
  saleId: string;
}

/** After all sales of a customer. */
export function lastPlace(customerId: CustomerId): SalePlace {
  return { customerId, occurredAt: Number.MAX_SAFE_INTEGER, saleId: '' };
}

interface SaleRow extends Omit<SaleOfPerson, 'steps'> {
  steps: string;
}

const SALES = `SELECT s.id, s.click_id AS "clickId", s.payment_id AS "paymentId", p.delivery_id AS "deliveryId",
    s.occurred_at AS "occurredAt", s.steps, s.metadata
  FROM sales s JOIN payments p ON p.id = s.payment_id`;

function asSale({ steps, ...sale }: SaleRow): SaleOfPerson {
  return { ...sale, steps: JSON.parse(steps) };
}

/**
 * A report hands over the rows of a query at once, with up to 10 kB of metadata each, to the thread that answers other
 * requests meanwhile.
 */
export const ROWS_PER_QUERY = 100;

/** The latest sales of a customer before a place, the oldest id first, and the place of what is left. */
export async function findSalesOf(
  tx: Transaction,
  place: SalePlace,
  limit: number,
): Promise<{ sales: SaleOfPerson[]; rest: SalePlace | null }> {
  const sales: SaleOfPerson[] = [];
  let rest: SalePlace | null = place;
  do {
    const wanted = Math.min(limit - sales.length, ROWS_PER_QUERY);
    const rows: SaleRow[] = await tx.all<SaleRow>(
      `${SALES} WHERE s.customer_id = @customerId AND (s.occurred_at, s.id) < (@occurredAt, @saleId)
       ORDER BY s.occurred_at DESC, s.id DESC LIMIT @limit`,
      { ...rest, limit: wanted },
    );
    sales.push(...rows.map(asSale));
    const last = rows.length < wanted ? undefined : rows.at(-1);
    rest = last === undefined ? null : { ...place, occurredAt: last.occurredAt, saleId: last.id };
  } while (rest !== null && sales.length < limit);
  return { sales: sales.sort((a, b) => (a.id < b.id ? -1 : 1)), rest };
}

const salesByIds = manyIds<SaleRow>((list) => `${SALES} WHERE ${inAccount('s', list)}`);

/** These sales, the oldest id first. */
export async function findSalesByIds(
  tx: Transaction,
  accountId: AccountId,
  saleIds: readonly SaleId[],
): Promise<SaleOfPerson[]> {
  return (await salesByIds(tx, saleIds, { accountId })).map(asSale).sort((a, b) => (a.id < b.id ? -1 : 1));
}

export function eraseSaleDetails(tx: Transaction, accountId: AccountId, saleId: SaleId, steps: readonly TraceStep[]) {
  return tx.run('UPDATE sales SET metadata = NULL, steps = @steps WHERE account_id = @accountId AND id = @saleId', {
    accountId,
    saleId,
    steps: JSON.stringify(steps),
  });
}

/** The payments that were merged into these. */
export const findJoined = manyIds<Pick<SaleOfPerson, 'deliveryId'> & { id: PaymentId }>(
  (list) => `SELECT id, delivery_id AS "deliveryId" FROM payments WHERE joined_to IN ${list}`,
);

const reversalDeliveries = manyIds<{ deliveryId: DeliveryId }>(
  (list) => `SELECT delivery_id AS "deliveryId" FROM refunds WHERE delivery_id IS NOT NULL AND payment_id IN ${list}
    UNION ALL
    SELECT delivery_id AS "deliveryId" FROM disputes WHERE delivery_id IS NOT NULL AND payment_id IN ${list}`,
);

/** The deliveries that reported refunds and disputes of these payments. */
export async function findReversalDeliveries(tx: Transaction, paymentIds: readonly PaymentId[]): Promise<DeliveryId[]> {
  return (await reversalDeliveries(tx, paymentIds)).map(({ deliveryId }) => deliveryId);
}

const customersOfPayments = manyIds<{ customerId: CustomerId }>(
  (list) =>
    `SELECT s.customer_id AS "customerId" FROM payments p JOIN sales s ON s.account_id = p.account_id AND s.id = p.sale_id
    WHERE p.id IN ${list}`,
);

/** The customers of those payments that became sales. A customer may appear more than once. */
export async function findCustomersOfPayments(
  tx: Transaction,
  paymentIds: readonly PaymentId[],
): Promise<CustomerId[]> {
  return (await customersOfPayments(tx, paymentIds)).map(({ customerId }) => customerId);
}

const survivors = manyIds<{ id: PaymentId }>(
  (list) => `SELECT COALESCE(joined_to, id) AS id FROM payments WHERE id IN ${list}`,
);

/** The payments that these were merged into, or themselves. */
export async function findSurvivors(tx: Transaction, paymentIds: readonly PaymentId[]): Promise<PaymentId[]> {
  return (await survivors(tx, paymentIds)).map(({ id }) => id);
}

/** All payments of those that others were merged into; empty if none were. */
export async function findMerged(tx: Transaction, survivorIds: readonly PaymentId[]): Promise<PaymentId[]> {
  const joined = await findJoined(tx, survivorIds);
  return joined.length === 0 ? [] : [...survivorIds, ...joined.map(({ id }) => id)];
}

/** A customer who paid. */
export interface Payer {
  id: CustomerId;
  externalId: string | null;
  erasedAt: number | null;
}

const payers = manyIds<Payer>(
  (list) => `SELECT id, external_id AS "externalId", erased_at AS "erasedAt" FROM customers WHERE id IN ${list}`,
);

/** The customers with sales of these payments. */
export async function findPayers(tx: Transaction, paymentIds: readonly PaymentId[]): Promise<Payer[]> {
  return payers(tx, await findCustomersOfPayments(tx, paymentIds));
}

/** The job that scans processors' ids for addresses that were erased. */
export const ERASURE_JOB = 'erase identities';

/** The position of an id in its table. */
export interface IdentityPlace {
  processor: string;
  kind: string;
  value: string;
}

/** Before all ids. */
export const FIRST_PLACE: IdentityPlace = { processor: '', kind: '', value: '' };

/** The next ids after a position, with the address of those that are not assigned to a customer. */
export function findIdentityPart(tx: Transaction, accountId: AccountId, after: IdentityPlace, limit: number) {
  return tx.all<IdentityPlace & { email: string | null }>(
    `SELECT processor, kind, value, email_lower AS email FROM identities
     WHERE account_id = @accountId AND (processor, kind, value) > (@processor, @kind, @value)
     ORDER BY processor, kind, value LIMIT @limit`,
    { accountId, ...after, limit },
  );
}

export function eraseIdentity(tx: Transaction, accountId: AccountId, { processor, kind, value }: IdentityPlace) {
  return tx.run(
    `UPDATE identities SET email_lower = NULL, name = NULL
     WHERE account_id = @accountId AND processor = @processor AND kind = @kind AND value = @value`,
    { accountId, processor, kind, value },
  );
}

/** Erases the name only, because the address may be somebody else's. */
export function eraseIdentityName(tx: Transaction, accountId: AccountId, { processor, kind, value }: IdentityPlace) {
  return tx.run(
    `UPDATE identities SET name = NULL
     WHERE account_id = @accountId AND processor = @processor AND kind = @kind AND value = @value AND name IS NOT NULL`,
    { accountId, processor, kind, value },
  );
}

/** The job that deletes messages about rows of imports. */
const IMPORTS_JOB = 'erase persons in imports';

/**
 * Requests that the messages about rows of the account's imports be deleted, because they may name a person whose erasure
 * a processor required. The server does so soon (`exchange/jobs/erase.ts`).
 */
export function startImportErasure(tx: Transaction, accountId: AccountId) {
  return tx.run(
    `INSERT INTO job_cursors (job, account_id, last_id) VALUES (@job, @accountId, '')
     ON CONFLICT (job, account_id) DO UPDATE SET last_id = ''`,
    { job: IMPORTS_JOB, accountId },
  );
}

/** The accounts whose messages are still to be deleted, in any order. */
export async function findImportErasures(tx: Transaction): Promise<AccountId[]> {
  const sql = 'SELECT account_id AS "accountId" FROM job_cursors WHERE job = @job';
  return (await tx.all<{ accountId: AccountId }>(sql, { job: IMPORTS_JOB })).map(({ accountId }) => accountId);
}

/** Call in the unit that has deleted the messages. */
export function endImportErasure(tx: Transaction, accountId: AccountId) {
  return tx.run('DELETE FROM job_cursors WHERE job = @job AND account_id = @accountId', {
    job: IMPORTS_JOB,
    accountId,
  });
}
