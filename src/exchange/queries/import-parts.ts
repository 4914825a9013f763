import type { ImportId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface ImportPart {
  importId: ImportId;
  number: number;
  /** Before compression. */
  bytes: number;
  content: Buffer;
}

/** Stores a part, replacing an earlier one with this number. */
export async function putPart(tx: Transaction, part: ImportPart): Promise<void> {
  await tx.run(
    `INSERT INTO import_parts (import_id, number, bytes, content) VALUES (@importId, @number, @bytes, @content)
     ON CONFLICT (import_id, number) DO UPDATE SET bytes = excluded.bytes, content = excluded.content`,
    { ...part },
  );
}

/** Stores how much of the file has arrived. */
export async function noteReceived(
  tx: Transaction,
  received: { id: ImportId; receivedBytes: number; status: 'uploading' | 'waiting'; now: number },
): Promise<void> {
  await tx.run(
    `UPDATE imports SET received_bytes = @receivedBytes, status = @status, changed_at = @now, due_at = @now
     WHERE id = @id AND status = 'uploading'`,
    received,
  );
}

/** What has arrived: the sum of the parts, their count, and the highest number. */
export async function sumParts(tx: Transaction, importId: ImportId) {
  const sums = await tx.get<{ bytes: number; count: number; last: number }>(
    `SELECT COALESCE(CAST(SUM(bytes) AS BIGINT), 0) AS bytes, COUNT(*) AS count, COALESCE(MAX(number), 0) AS last
     FROM import_parts WHERE import_id = @importId`,
    { importId },
  );
  return sums ?? { bytes: 0, count: 0, last: 0 };
}

export function findPart(tx: Transaction, importId: ImportId, number: number) {
  return tx.get<{ content: Buffer }>(
    'SELECT content FROM import_parts WHERE import_id = @importId AND number = @number',
    { importId, number },
  );
}

/** Imports that have ended and still have parts. */
export async function findLeftoverParts(tx: Transaction, limit: number): Promise<ImportId[]> {
  const sql = `SELECT DISTINCT p.import_id AS id FROM import_parts p JOIN imports i ON i.id = p.import_id
    WHERE i.ended_at IS NOT NULL LIMIT @limit`;
  return (await tx.all<{ id: ImportId }>(sql, { limit })).map(({ id }) => id);
}

/** Deletes the first parts; returns how many. */
export async function deleteParts(tx: Transaction, importId: ImportId, limit: number): Promise<number> {
  return tx.run(
    `DELETE FROM import_parts WHERE import_id = @importId AND number <=
       (SELECT MIN(number) + @limit - 1 FROM import_parts WHERE import_id = @importId)`,
    { importId, limit },
  );
}
