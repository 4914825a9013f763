import type { Database } from '../storage/database.ts';
import { type DeliveryRange, type EmptyStretch, findEmptyStretch } from './queries/retention.ts';

/** Deliveries whose bodies are gone already, after an upgrade those of years. */
const DELIVERIES_MAX = 5_000;

/**
 * The deliveries without bodies at the start of a range. Looks at only `limit` of them first: it would otherwise read
 * thousands of rows to find that the next delivery has a body, again and again where bodies are kept.
 *
 * @returns also whether the stretch may continue
 */
export async function findNextStretch(
  database: Database,
  range: DeliveryRange,
): Promise<EmptyStretch & { mayContinue: boolean }> {
  const find = (limit: number) => database.report((tx) => findEmptyStretch(tx, { ...range, limit }));
  const first = await find(range.limit);
  if (first.deliveries < range.limit) return { ...first, mayContinue: false };
  const stretch = await find(DELIVERIES_MAX);
  return { ...stretch, mayContinue: stretch.deliveries === DELIVERIES_MAX };
}
