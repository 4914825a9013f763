import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventEndpointId } from '../../../src/core/ids.ts';
import { findDueEvents } from '../../../src/events/queries/sending.ts';
import type { Transaction } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { fillAccount, filledId } from '../../helpers/filled-database.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

const SALES = 5_000;
const LATE = 2 ** 52;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase('postgres');
  await test.database.write((tx) => fillAccount((sql, values) => tx.run(sql, values), { account: 1, sales: SALES }), {
    alone: true,
  });
  await executeOnServer(test.url, 'UPDATE event_deliveries SET next_attempt_at = occurred_at');
  await executeOnServer(test.url, 'ANALYZE');
});
afterAll(() => test.remove());

/** The number of events that this connection has read in scans of the whole table. */
async function scanned(tx: Transaction): Promise<number> {
  const sql = "SELECT seq_tup_read AS count FROM pg_stat_xact_user_tables WHERE relname = 'events'";
  return Number((await tx.get<{ count: number }>(sql))?.count);
}

it('PostgreSQL looks up the next events to send, however many are due', async () => {
  const endpointId = filledId('evp', 1, 1) as EventEndpointId;
  const [before, due, after] = await test.database.write(async (tx) => [
    await scanned(tx),
    await findDueEvents(tx, endpointId, LATE),
    await scanned(tx),
  ]);
  expect(due).toHaveLength(10);
  expect(after).toBe(before);
});
