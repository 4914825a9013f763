import { manyIds } from '../../storage/many-ids.ts';
import { IDENTIFIED_TABLES } from '../tables.ts';

export interface IdWithAccount {
  id: string;
  accountId: string;
}

/** Reads which accounts ids belong to, by table; an unknown id has no row. */
export const accountsOfIds = Object.fromEntries(
  IDENTIFIED_TABLES.map((table) => [
    table,
    manyIds<IdWithAccount>((list) => `SELECT id, account_id AS "accountId" FROM ${table} WHERE id IN ${list}`),
  ]),
) as Readonly<Record<(typeof IDENTIFIED_TABLES)[number], ReturnType<typeof manyIds<IdWithAccount>>>>;
