import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { deleteAccount } from '../../src/removal/delete-account.ts';
import { deleteOfPartner } from '../../src/removal/queries/rows.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createTestDatabase } from '../helpers/databases.ts';
import { fillAccount, filledId } from '../helpers/filled-database.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';
import { observePostgres } from '../helpers/postgres-traffic.ts';
import { createTestService } from '../helpers/service.ts';

const LARGE = { account: 1, sales: 5_000 };
const SMALL = { account: 2, sales: 200 };

/** Tables that were read whole many times over. */
const READ_WHOLE = `SELECT relname AS name, seq_scan AS reads FROM pg_stat_user_tables
  WHERE n_live_tup >= ${LARGE.sales / 2} AND seq_tup_read > 10 * n_live_tup`;
/** The small account has a payment for each sale, and a tenth as many that are parked. */
const DELETED = "SELECT n_tup_del AS count FROM pg_stat_user_tables WHERE relname = 'payments'";
const OTHERS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;

let test: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  test = await createTestDatabase('postgres');
  for (const filling of [LARGE, SMALL]) {
    await test.database.bulk((tx) => fillAccount((sql, parameters) => tx.run(sql, parameters), filling));
  }
  await test.database.bulk((tx) => tx.run('ANALYZE', {}));
  await test.database.close();
});
afterAll(() => test.remove());

it('on PostgreSQL, an account is deleted beside a large one without reading that one for each row', async () => {
  const database = await openDatabase(test.url);
  const accountId = filledId('acc', SMALL.account, 1) as AccountId;
  await deleteAccount(createTestService({ database }), accountId, { cachesMs: 0 });
  // a connection reports what it has read when it is closed
  await database.close();

  const rows = (sql: string) => executeOnServer(test.url, sql);
  await expect.poll(() => rows(OTHERS)).toEqual([]);
  expect(await rows(DELETED)).toEqual([{ count: '220' }]);
  expect(await rows(READ_WHOLE)).toEqual([]);
});

it('on PostgreSQL, rows are deleted a hundred at a time, without waiting for the answer to each', async () => {
  const observed = await observePostgres(test.url);
  const database = await openDatabase(observed.url);
  const part = { ownerId: filledId('ptr', LARGE.account, 1), limit: 500 };
  let count = 0;
  const { waits } = await observed.observe(async () => {
    count = await database.write((tx) => deleteOfPartner(tx, part), { alone: true });
  });
  await database.close();
  await observed.close();
  expect(count).toBe(500);
  expect(waits).toBeGreaterThan(count / 100);
  expect(waits).toBeLessThan(10);
});
