import type { Transaction } from '../../storage/database.ts';
import { BULK_SIZES, manyRows } from '../../storage/many-rows.ts';
import { IMPORT_JOB } from '../tables.ts';

/** Creates a function that inserts rows of a table. Column names become part of the SQL text, so check them beforehand. */
export function insertInto(table: string, columns: readonly string[]) {
  const before = `INSERT INTO ${table} (${columns.join(', ')}) VALUES`;
  return manyRows({ before, names: columns, after: '' }, BULK_SIZES);
}

/** Whether an account with this id exists, and the export that it was imported from; null if it was not imported. */
export function findImportedAccount(
  tx: Transaction,
  accountId: string,
): Promise<{ exportId: string | null } | undefined> {
  return tx.get(
    `SELECT j.last_id AS "exportId" FROM accounts a
     LEFT JOIN job_cursors j ON j.job = '${IMPORT_JOB}' AND j.account_id = a.id WHERE a.id = @accountId`,
    { accountId },
  );
}

/** Records which export an account was imported from. */
export async function noteImport(tx: Transaction, accountId: string, exportId: string): Promise<void> {
  await tx.run(
    `INSERT INTO job_cursors (job, account_id, last_id) VALUES ('${IMPORT_JOB}', @accountId, @exportId)
     ON CONFLICT (job, account_id) DO UPDATE SET last_id = excluded.last_id`,
    { accountId, exportId },
  );
}
