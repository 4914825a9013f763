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
  /** True if one of their payments was merged with another payment. */
  isMerged: boolean;
  /** The deliveries about their payments, refunds and disputes. */
  deliveryIds: DeliveryId[];
}

/** The clicks and deliveries of a person's leads and payments. */
export async function sourcesOf(
  tx: Transaction,
  accountId: AccountId,
  { customer, leads, sales, parked }: PersonRecord,
): Promise<PersonSources> {
  const ownIds = distinct([...sales.map(({ paymentId }) => paymentId), ...parked.map(({ id }) => id)]);
  const saleIds = sales.map(({ id }) => id);
  const [joined, survivors, reversals, later] = await Promise.all([
    findJoined(tx, ownIds),
    findSurvivors(tx, ownIds),
    findReversalDeliveries(tx, ownIds),
    findDeliveriesOfSales(tx, accountId, saleIds),
  ]);
  const own = new Set(ownIds);
  const first = [...sales, ...parked, ...joined].map(({ deliveryId }) => deliveryId);
  return {
    clickIds: distinct([
      customer?.clickId,
      ...leads.map((lead) => lead.clickId),
      ...sales.map((sale) => sale.clickId),
    ]).sort(),
    isMerged: joined.length > 0 || survivors.some(({ id }) => !own.has(id)),
    paymentIds: distinct([...ownIds, ...joined.map(({ id }) => id)]).sort(),
    deliveryIds: distinct([...first, ...reversals, ...later]).sort(),
  };
}
