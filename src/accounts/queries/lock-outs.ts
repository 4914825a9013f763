import type { Transaction } from '../../storage/database.ts';

/** PostgreSQL's locks by two numbers; claims are locks by one. SQLite runs one unit after the other. */
const LOCK = '(7237, hashtext(@id))';

/** Until this unit ends, `beginLockOut` waits. Read afterwards whether the key or operator still has access. */
export async function delayLockOut(tx: Transaction, id: string): Promise<void> {
  await tx.get(`SELECT 1 AS one /* postgres: FROM pg_advisory_xact_lock_shared${LOCK} */`, { id });
}

/**
 * Waits for the units of this key or operator; later ones wait for this unit. They wait in turn, so that a flood of them
 * does not keep this one waiting. Call it before the unit claims or changes anything, which those may be waiting for.
 */
export async function beginLockOut(tx: Transaction, id: string): Promise<void> {
  await tx.get(`SELECT 1 AS one /* postgres: FROM pg_advisory_xact_lock${LOCK} */`, { id });
}
