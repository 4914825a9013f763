import type { AccountId, ClickId, DeliveryId, PaymentId } from '../../core/ids.ts';
import { findDeliveriesOfSales } from '../../inbox/erase-bodies.ts';
import type { Transaction } from '../../storage/database.ts';
import { findJoined, findReversalDeliveries, findSurvivors } from '../queries/erasure.ts';
import { distinct, type PersonRecord } from './person-record.ts';

/** Other places that may hold data about a person, oldest first. */
export interface PersonSources {
  clickIds: ClickId[];
  /** Their payments, also those that were merged into others. */
  paymentIds: PaymentId[];
  /** The payments into which those of their sales were merged, or these themselves. */
  survivorIds: PaymentId[];
  /** The deliveries about their payments, refunds and disputes. */
  deliveryIds: DeliveryId[];
}

/** The clicks and deliveries of a person's leads and payments. */
export async function sourcesOf(
  tx: Transaction,
  accountId: AccountId,
  { customer, leads, sales, parked }: PersonRecord,
): Promise<PersonSources> {
  const soldIds = sales.map(({ paymentId }) => paymentId);
  const ownIds = distinct([...soldIds, ...parked.map(({ id }) => id)]);
  const saleIds = sales.map(({ id }) => id);
  const [joined, survivorIds, reversals, later] = await Promise.all([
    findJoined(tx, ownIds),
    findSurvivors(tx, soldIds),
    findReversalDeliveries(tx, ownIds),
    findDeliveriesOfSales(tx, accountId, saleIds),
  ]);
  const first = [...sales, ...parked, ...joined].map(({ deliveryId }) => deliveryId);
  return {
    clickIds: distinct([
      customer?.clickId,
      ...leads.map((lead) => lead.clickId),
      ...sales.map((sale) => sale.clickId),
    ]).sort(),
    survivorIds,
    paymentIds: distinct([...ownIds, ...joined.map(({ id }) => id)]).sort(),
    deliveryIds: distinct([...first, ...reversals, ...later]).sort(),
  };
}
