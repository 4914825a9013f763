import type { DeliveryId, PartnerId, ReconciliationId, SaleId } from '../../core/ids.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Transaction } from '../../storage/database.ts';
import type { CarriedFacts } from './carried.ts';

/** One delivery that was missing. Amounts in minor units, times in epoch milliseconds. */
export type Item = {
  reconciliationId: ReconciliationId;
  deliveryKey: string;
  /** Null in a dry run. */
  deliveryId: DeliveryId | null;
  eventType: string | null;
  occurredAt: number;
  /** The processor's id of the payment; null when the delivery is about something else. */
  invoiceId: string | null;
  amount: number | null;
  currency: string | null;
  outcome: Outcome;
  /** Names no person. */
  reason: string | null;
  saleId: SaleId | null;
  partnerId: PartnerId | null;
  commissionAmount: number | null;
  commissionCurrency: string | null;
};

/** Adds an item, with what a dry run keeps of it; 0 when the reconciliation already has one with this delivery key. */
export function insertItem(tx: Transaction, item: Item, kept: CarriedFacts | null = null): Promise<number> {
  return tx.run(
    `INSERT INTO reconciliation_items (reconciliation_id, delivery_key, position, delivery_id, event_type, occurred_at,
       invoice_id, amount, currency, outcome, reason, sale_id, partner_id, commission_amount, commission_currency, facts,
       customer_id, click_id)
     VALUES (@reconciliationId, @deliveryKey,
       (SELECT r.read_count FROM reconciliations r WHERE r.id = @reconciliationId), @deliveryId, @eventType, @occurredAt,
       @invoiceId, @amount, @currency, @outcome, @reason, @saleId, @partnerId, @commissionAmount, @commissionCurrency, @facts,
       @customerId, @clickId)
     ON CONFLICT (reconciliation_id, delivery_key) DO NOTHING`,
    { facts: null, customerId: null, clickId: null, ...kept, ...item },
  );
}

export type ItemWithPartner = Item & { partnerName: string | null };

/** The latest, with their partners' names. */
export function findItems(tx: Transaction, reconciliationId: ReconciliationId, limit: number) {
  return tx.all<ItemWithPartner>(
    `SELECT i.reconciliation_id AS "reconciliationId", i.delivery_key AS "deliveryKey", i.delivery_id AS "deliveryId",
       i.event_type AS "eventType", i.occurred_at AS "occurredAt", i.invoice_id AS "invoiceId", i.amount, i.currency,
       i.outcome, i.reason, i.sale_id AS "saleId", i.partner_id AS "partnerId", p.name AS "partnerName",
       i.commission_amount AS "commissionAmount", i.commission_currency AS "commissionCurrency"
     FROM reconciliation_items i LEFT JOIN partners p ON p.id = i.partner_id
     WHERE i.reconciliation_id = @reconciliationId
     ORDER BY i.occurred_at DESC, i.delivery_key DESC LIMIT @limit`,
    { reconciliationId, limit },
  );
}

/** Whether this reconciliation has noted the delivery. */
export async function hasItem(tx: Transaction, reconciliationId: ReconciliationId, deliveryKey: string) {
  const sql = `SELECT 1 AS one FROM reconciliation_items i
     WHERE i.reconciliation_id = @reconciliationId AND i.delivery_key = @deliveryKey`;
  return (await tx.get(sql, { reconciliationId, deliveryKey })) !== undefined;
}

/** Whether this dry run has noted another report of this payment, without its facts. */
export async function hasInvoice(tx: Transaction, reconciliationId: ReconciliationId, invoiceId: string) {
  const sql = `SELECT 1 AS one FROM reconciliation_items i
     WHERE i.reconciliation_id = @reconciliationId AND i.invoice_id = @invoiceId AND i.facts IS NULL`;
  return (await tx.get(sql, { reconciliationId, invoiceId })) !== undefined;
}

export type ItemKey = Pick<Item, 'reconciliationId' | 'deliveryKey'>;

/** Items of reconciliations that ended before a time. */
export function findOldItems(tx: Transaction, before: number, limit: number) {
  return tx.all<ItemKey>(
    `SELECT i.reconciliation_id AS "reconciliationId", i.delivery_key AS "deliveryKey"
     FROM reconciliations r JOIN reconciliation_items i ON i.reconciliation_id = r.id
     WHERE r.ended_at < @before LIMIT @limit`,
    { before, limit },
  );
}

export function deleteItem(tx: Transaction, item: ItemKey): Promise<number> {
  return tx.run(
    'DELETE FROM reconciliation_items WHERE reconciliation_id = @reconciliationId AND delivery_key = @deliveryKey',
    item,
  );
}
