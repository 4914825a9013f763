import type { Transaction } from '../../storage/database.ts';

/**
 * Lets other requests be answered: for a unit of work that computes for long, which may await nothing but its queries. On
 * SQLite, the query waits for the next turn of the event loop once this one has taken long.
 */
export async function giveWay(tx: Transaction): Promise<void> {
  await tx.get('SELECT 1 AS one');
}
