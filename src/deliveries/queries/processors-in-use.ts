import type { Processor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';

/** The processors of all endpoints of all accounts, in no particular order. */
export async function findProcessorsInUse(tx: Transaction): Promise<Processor[]> {
  const rows = await tx.all<{ processor: Processor }>(
    'SELECT DISTINCT processor FROM webhook_endpoints WHERE deleted_at IS NULL',
  );
  return rows.map(({ processor }) => processor);
}
