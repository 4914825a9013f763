import type { Transaction } from '../../storage/database.ts';

/** The salt of a day (days since 1970, UTC); undefined until a process has inserted it. */
export async function findSalt(tx: Transaction, day: number): Promise<string | undefined> {
  const sql = 'SELECT salt FROM visitor_salts WHERE day = @day';
  return (await tx.get<{ salt: string }>(sql, { day }))?.salt;
}

/** Inserts the salt of a day, unless the day already has one. */
export function insertSalt(tx: Transaction, row: { day: number; salt: string; createdAt: number }) {
  const sql = `INSERT INTO visitor_salts (day, salt, created_at) VALUES (@day, @salt, @createdAt)
    ON CONFLICT (day) DO NOTHING`;
  return tx.run(sql, row);
}

/** Deletes the salts created outside of a period, whose ends are outside, too (epoch milliseconds). Returns their number. */
export function deleteSaltsOutside(tx: Transaction, { from, to }: { from: number; to: number }) {
  return tx.run('DELETE FROM visitor_salts WHERE created_at <= @from OR created_at >= @to', { from, to });
}
