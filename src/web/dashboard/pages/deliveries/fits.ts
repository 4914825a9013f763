import type { Answer } from '../../../parts/api.ts';
import type { Days } from '../../data/period.ts';

type Delivery = Answer<'listDeliveries'>['data'][number];

/** Whether a list with these filters contains the delivery. */
export function fits(delivery: Delivery, { from, to, ...filters }: Partial<Delivery & Days>): boolean {
  const { receivedAt } = delivery;
  // a day sorts before all times on it
  if ((from !== undefined && receivedAt < from) || (to !== undefined && receivedAt >= to)) return false;
  return Object.entries(filters).every(([name, value]) => delivery[name as keyof Delivery] === value);
}
