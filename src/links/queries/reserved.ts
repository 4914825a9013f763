import type { Transaction } from '../../storage/database.ts';
import { RESERVED_KEYS } from '../keys.ts';

const KEYS = [...RESERVED_KEYS].map((key) => `'${key}'`).join(', ');

/** Links of all accounts whose keys are reserved. An earlier version allowed such keys. Works on any schema version. */
export function findReservedLinks(tx: Pick<Transaction, 'all'>, limit: number) {
  return tx.all<{ id: string; domain: string; key: string }>(
    `SELECT id, domain, key FROM links WHERE LOWER(key) IN (${KEYS}) ORDER BY id LIMIT @limit`,
    { limit },
  );
}
