import { writeEach } from '../../app/write-each.ts';
import { type AccountId, LAST_ID } from '../../core/ids.ts';
import type { SqlParameters, Transaction } from '../../storage/database.ts';

/** The rows of one owner in a table, and the remaining columns of an index that begins with the owner. */
interface OwnedRows {
  table: string;
  owner: string;
  key: readonly string[];
}

/** A part of the rows of an account, import, link, partner, payout or program. */
interface Part {
  ownerId: string;
  limit: number;
}

/** Deletes the first rows of an owner, at most `limit`; returns their number. */
async function deleteFirst(
  tx: Transaction,
  { table, owner, key }: OwnedRows,
  { ownerId, limit }: Part,
): Promise<number> {
  const rows = `${table} WHERE ${owner} = @ownerId`;
  const columns = key.map((column, place) => `${column} AS "k${place}"`).join(', ');
  const found = await tx.all<SqlParameters>(`SELECT ${columns} FROM ${rows} ORDER BY ${key.join(', ')} LIMIT @limit`, {
    ownerId,
    limit,
  });
  const isKey = key.map((column, place) => `${column} = @k${place}`).join(' AND ');
  // a statement for each: for a range of keys in an account with many rows, PostgreSQL would read the whole table
  await writeEach(found, (row) => tx.run(`DELETE FROM ${rows} AND ${isKey}`, { ...row, ownerId }));
  return found.length;
}

const ofAccount = (table: string, ...key: string[]): OwnedRows => ({
  table,
  owner: 'account_id',
  key: key.length === 0 ? ['id'] : key,
});

/** Deletes rows of the tables in this order, at most `limit`; returns their number. */
async function deleteInOrder(tx: Transaction, tables: readonly OwnedRows[], { ownerId, limit }: Part): Promise<number> {
  let count = 0;
  for (const rows of tables) {
    if (count < limit) count += await deleteFirst(tx, rows, { ownerId, limit: limit - count });
  }
  return count;
}

/** Deletes a part of what one parent owns; returns 0 when nothing is left. */
type DeleteOfOwner = (tx: Transaction, part: Part) => Promise<number>;

const deleting =
  (...tables: OwnedRows[]): DeleteOfOwner =>
  (tx, part) =>
    deleteInOrder(tx, tables, part);

export const deleteAccess = deleting(ofAccount('api_keys'), ofAccount('operator_sessions'));
export const deleteOfOperator = deleting(
  { table: 'sign_in_codes', owner: 'operator_id', key: ['hash'] },
  { table: 'operator_identities', owner: 'operator_id', key: ['issuer'] },
);
/** Sessions again: an operator may have opened one since. */
export const deleteOperators = deleting(ofAccount('operator_sessions'), ofAccount('operators'));

export const deleteOfEventEndpoint = deleting(
  { table: 'event_attempts', owner: 'endpoint_id', key: ['event_id', 'number'] },
  { table: 'event_deliveries', owner: 'endpoint_id', key: ['event_id'] },
);
export const deleteEvents = deleting(
  ofAccount('events'),
  ofAccount('event_approvals', 'sale_id'),
  ofAccount('event_endpoints'),
);

export const deleteOfPayout = deleting(
  { table: 'payout_entries', owner: 'payout_id', key: ['entry_id'] },
  { table: 'payout_days', owner: 'payout_id', key: ['day', 'due_day'] },
  { table: 'payout_file_rows', owner: 'payout_id', key: ['file_id'] },
);
export const deletePayouts = deleting(
  ofAccount('payout_transfers', 'payout_id'),
  ofAccount('payout_files'),
  ofAccount('payouts'),
);

export const deleteOfPartner = deleting(
  { table: 'open_entries', owner: 'partner_id', key: ['currency', 'due_at', 'entry_id'] },
  { table: 'ledger_days', owner: 'partner_id', key: ['currency', 'day', 'due_day'] },
  { table: 'result_days', owner: 'owner_id', key: ['part', 'span', 'day', 'currency'] },
);

/** In the order of the references between the tables. */
export const deleteMoney = deleting(
  ofAccount('ledger_entries'),
  ofAccount('refunds', 'processor', 'refund_key'),
  ofAccount('disputes', 'processor', 'dispute_id'),
  ofAccount('parked_hints', 'kind', 'value', 'payment_id'),
  ofAccount('payment_references', 'value', 'processor'),
  ofAccount('sales'),
);
export const deletePeople = deleting(
  ofAccount('leads'),
  ofAccount('identities', 'processor', 'kind', 'value'),
  ofAccount('customers'),
);
export const deleteOfReconciliation = deleting(
  { table: 'reconciliation_references', owner: 'reconciliation_id', key: ['reference', 'delivery_key'] },
  { table: 'reconciliation_items', owner: 'reconciliation_id', key: ['delivery_key'] },
);
export const deleteDeliveries = deleting(
  ofAccount('reconciliations'),
  ofAccount('deliveries'),
  ofAccount('webhook_refusals', 'endpoint_id', 'kind'),
  ofAccount('webhook_endpoints'),
);

export const deleteOfLink = deleting(
  { table: 'link_clicks', owner: 'link_id', key: ['hour'] },
  { table: 'link_holders', owner: 'link_id', key: ['partner_id'] },
);
export const deleteLinks = deleting(ofAccount('link_external_ids', 'external_id'), ofAccount('links'));
export const deletePartners = deleting(ofAccount('partner_discount_codes', 'code_lower'), ofAccount('partners'));

export const deleteOfProgram = deleting(
  { table: 'program_origins', owner: 'program_id', key: ['origin'] },
  { table: 'result_days', owner: 'owner_id', key: ['part', 'span', 'day', 'currency'] },
);
export const deleteOfImport = deleting({ table: 'import_parts', owner: 'import_id', key: ['number'] });
export const deleteLast = deleting(
  ofAccount('imports'),
  ofAccount('exports'),
  ofAccount('programs'),
  ofAccount('imported_records', 'source', 'kind', 'source_id'),
  ofAccount('erasure_marks', 'mark'),
  ofAccount('audit_log'),
);

/** Rows of an account after an id or hash. */
interface Page {
  accountId: AccountId;
  afterId: string;
  limit: number;
}

/** How far a walk over a whole table got; null at its end. */
type DeleteByWalk = (tx: Transaction, page: Page) => Promise<string | null>;

/** For tables without an index by account: reads the next `limit` rows of all accounts and deletes those of this one. */
const walking =
  (table: string, key: string): DeleteByWalk =>
  async (tx, { accountId, afterId, limit }) => {
    const last = await tx.get<{ key: string }>(
      `SELECT ${key} AS key FROM ${table} WHERE ${key} > @afterId ORDER BY ${key} LIMIT 1 OFFSET @skipped`,
      { afterId, skipped: limit - 1 },
    );
    await tx.run(`DELETE FROM ${table} WHERE ${key} > @afterId AND ${key} <= @last AND account_id || '' = @accountId`, {
      afterId,
      accountId,
      last: last?.key ?? LAST_ID,
    });
    return last?.key ?? null;
  };

export const walkPayments = walking('payments', 'id');
export const walkClicks = walking('clicks', 'id');
export const walkEmbedTokens = walking('embed_tokens', 'hash');
export const walkPortalCodes = walking('portal_codes', 'hash');

type FindIds = (tx: Transaction, page: Page) => Promise<string[]>;

const idsOf =
  (table: string): FindIds =>
  async (tx, { accountId, afterId, limit }) => {
    const sql = `SELECT id FROM ${table} WHERE account_id = @accountId AND id > @afterId ORDER BY id LIMIT @limit`;
    return (await tx.all<{ id: string }>(sql, { accountId, afterId, limit })).map(({ id }) => id);
  };

export const findOperatorIds = idsOf('operators');
export const findEventEndpointIds = idsOf('event_endpoints');
export const findPayoutIds = idsOf('payouts');
export const findPartnerIds = idsOf('partners');
export const findLinkIds = idsOf('links');
export const findProgramIds = idsOf('programs');
export const findImportIds = idsOf('imports');
export const findReconciliationIds = idsOf('reconciliations');
