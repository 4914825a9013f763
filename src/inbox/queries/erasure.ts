import type { Mark } from '../../app/person-marks.ts';
import type { AccountId, DeliveryId, EndpointId, SaleId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';
import { manyRows } from '../../storage/many-rows.ts';

export function findMark(tx: Transaction, accountId: AccountId, mark: Mark) {
  return tx.get('SELECT 1 AS known FROM erasure_marks WHERE account_id = @accountId AND mark = @mark', {
    accountId,
    mark,
  });
}

/** As many as a delivery usually has. */
const MARKS_PER_QUERY = 6;

/** Those of the marks that the account has. */
export const findStoredMarks = manyIds<{ mark: Mark }>(
  (list) => `SELECT mark FROM erasure_marks WHERE account_id = @accountId AND mark IN ${list}`,
  MARKS_PER_QUERY,
);

const insertMarks = manyRows({
  before: 'INSERT INTO erasure_marks (account_id, mark, created_at) VALUES',
  names: ['accountId', 'mark', 'now'],
  after: 'ON CONFLICT (account_id, mark) DO NOTHING',
});

/** Records that what the marks stand for was erased. */
export function addMarks(tx: Transaction, accountId: AccountId, marks: readonly Mark[], now: number) {
  return insertMarks(
    tx,
    marks.map((mark) => ({ accountId, mark, now })),
  );
}

export function addMark(tx: Transaction, accountId: AccountId, mark: Mark, now: number) {
  return addMarks(tx, accountId, [mark], now);
}

/** The account's next marks after the given one, in the order of marks. */
export async function findMarks(tx: Transaction, accountId: AccountId, after: string, limit: number): Promise<Mark[]> {
  const rows = await tx.all<{ mark: Mark }>(
    `SELECT mark FROM erasure_marks WHERE account_id = @accountId AND mark > @after ORDER BY mark LIMIT @limit`,
    { accountId, after, limit },
  );
  return rows.map(({ mark }) => mark);
}

/** A delivery with its body and its owner. */
export interface DeliveryBody {
  id: DeliveryId;
  endpointId: EndpointId;
  eventType: string | null;
  receivedAt: number;
  body: Uint8Array;
}

/** The body of a processed delivery; undefined when there is none. */
export function findBody(tx: Transaction, accountId: AccountId, id: DeliveryId) {
  return tx.get<DeliveryBody>(
    `SELECT id, endpoint_id AS "endpointId", event_type AS "eventType", received_at AS "receivedAt", body
     FROM deliveries WHERE account_id = @accountId AND id = @id AND body IS NOT NULL AND status = 'processed'`,
    { accountId, id },
  );
}

// the account is compared as an expression, so that the index of sales is used
const ofSales = manyIds<{ id: DeliveryId }>(
  (list) => `SELECT id FROM deliveries WHERE sale_id IN ${list} AND account_id || '' = @accountId`,
);

/** All deliveries about these sales; those about a payment from before its sale may be missing. */
export async function findDeliveriesOfSales(
  tx: Transaction,
  accountId: AccountId,
  saleIds: readonly SaleId[],
): Promise<DeliveryId[]> {
  return (await ofSales(tx, saleIds, { accountId })).map(({ id }) => id);
}

/**
 * Those of the deliveries that are about sales to customers who were erased. Looked up for each of them, because PostgreSQL
 * would read all customers for a join.
 */
export const findAboutErased = manyIds<{ id: DeliveryId }>(
  (list) => `SELECT d.id FROM deliveries d WHERE d.account_id = @accountId AND d.id IN ${list} AND
     (SELECT c.erased_at FROM customers c WHERE c.id =
       (SELECT s.customer_id FROM sales s WHERE s.account_id = @accountId AND s.id = d.sale_id)) IS NOT NULL`,
);

/** An e-mail address in a reason: `email mia@example.com;`. */
const ADDRESS = /[^\s"';,<>]+@[^\s"';,<>]+/g;

/**
 * Deletes the body, the headers, and any addresses in the reason of a processed delivery. Returns whether there was a
 * body.
 */
export async function eraseBody(tx: Transaction, accountId: AccountId, id: DeliveryId): Promise<boolean> {
  const stored = await tx.get<{ reason: string | null; hasBody: number }>(
    `SELECT reason, CASE WHEN body IS NULL THEN 0 ELSE 1 END AS "hasBody" FROM deliveries
     WHERE account_id = @accountId AND id = @id AND status = 'processed'`,
    { accountId, id },
  );
  if (stored === undefined) return false;
  const reason = stored.reason?.replace(ADDRESS, '(erased)') ?? null;
  await tx.run(
    `UPDATE deliveries SET body = NULL, headers = '{}', reason = @reason WHERE account_id = @accountId AND id = @id`,
    { accountId, id, reason },
  );
  return stored.hasBody === 1;
}
