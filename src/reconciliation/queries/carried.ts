import type { ClickId, CustomerId, ReconciliationId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** What a dry run keeps of a missing delivery for others of the same payment. Names no person. */
export type CarriedFacts = {
  /** `Fact[]` as JSON. */
  facts: string;
  /** Whom its payment was attributed to, and by which click; null without a sale. */
  customerId: CustomerId | null;
  clickId: ClickId | null;
};

type Key = { reconciliationId: ReconciliationId; deliveryKey: string };

export async function insertReferences(
  tx: Transaction,
  { reconciliationId, deliveryKey }: Key,
  references: Iterable<string>,
): Promise<void> {
  for (const reference of references) {
    await tx.run(
      `INSERT INTO reconciliation_references (reconciliation_id, reference, delivery_key)
       VALUES (@reconciliationId, @reference, @deliveryKey) ON CONFLICT DO NOTHING`,
      { reconciliationId, reference, deliveryKey },
    );
  }
}

export function findReferences(tx: Transaction, key: Key) {
  return tx.all<{ reference: string }>(
    `SELECT r.reference FROM reconciliation_references r
     WHERE r.reconciliation_id = @reconciliationId AND r.delivery_key = @deliveryKey`,
    key,
  );
}

/** What was kept of the first deliveries that have this reference, in the order of the reading. */
export function findCarried(tx: Transaction, reconciliationId: ReconciliationId, reference: string, limit: number) {
  return tx.all<CarriedFacts & { deliveryKey: string; position: number }>(
    `SELECT i.delivery_key AS "deliveryKey", i.position, i.facts, i.customer_id AS "customerId", i.click_id AS "clickId"
     FROM reconciliation_references r
     JOIN reconciliation_items i ON i.reconciliation_id = r.reconciliation_id AND i.delivery_key = r.delivery_key
     WHERE r.reconciliation_id = @reconciliationId AND r.reference = @reference AND i.facts IS NOT NULL
     ORDER BY i.position LIMIT @limit`,
    { reconciliationId, reference, limit },
  );
}

export function deleteReferences(tx: Transaction, key: Key): Promise<number> {
  return tx.run(
    'DELETE FROM reconciliation_references WHERE reconciliation_id = @reconciliationId AND delivery_key = @deliveryKey',
    key,
  );
}
