import type { Transaction } from './database.ts';

/** Every two digits of an id, in order. */
const PAIRS = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'));

const SORTED = `SELECT pair FROM (${PAIRS.map((pair) => `SELECT '${pair}' AS pair`).join(' UNION ALL ')}) pairs ORDER BY pair`;

/**
 * Whether the database sorts ids by the time of their creation. It does not under the collation of a language that sorts
 * two letters as one: Danish and Norwegian sort aa after z, Welsh sorts dd after d and all that begins with it.
 */
export async function sortsIds(tx: Pick<Transaction, 'all'>): Promise<boolean> {
  const rows = await tx.all<{ pair: string }>(SORTED);
  return rows.every(({ pair }, index) => pair === PAIRS[index]);
}
