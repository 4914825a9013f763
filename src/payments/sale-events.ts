import type { EventType } from '../core/event.ts';
import type { AccountId, SaleId } from '../core/ids.ts';
import { noteApproval } from '../events/approvals.ts';
import { recordEvent } from '../events/record.ts';
import type { Transaction } from '../storage/database.ts';
import { findSale } from './queries/list-sales.ts';
import type { NewSale } from './queries/sales.ts';
import { asSale } from './resources/sale-resource.ts';

export type SaleEventType = Extract<EventType, `sale.${string}`>;

/** Records an event about a sale, in the unit of work that changes the sale. */
export function recordSaleEvent(
  tx: Transaction,
  type: SaleEventType,
  { accountId, saleId, now }: { accountId: AccountId; saleId: SaleId; now: number },
): Promise<void> {
  const data = async () => {
    const sale = await findSale(tx, accountId, saleId, now);
    if (!sale) throw new Error(`Sale ${saleId} is missing`);
    return asSale(sale);
  };
  return recordEvent(tx, { accountId, type, occurredAt: now, data });
}

/** Records the event of a new sale, and schedules the event of its approval. */
export async function recordNewSale(tx: Transaction, { id: saleId, accountId, availableAt, createdAt }: NewSale) {
  await recordSaleEvent(tx, 'sale.created', { accountId, saleId, now: createdAt });
  await noteApproval(tx, { accountId, saleId, dueAt: availableAt });
}
