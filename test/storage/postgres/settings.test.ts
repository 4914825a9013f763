import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createEmptyDatabase } from '../../helpers/databases.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

const settings = (tx: Transaction) =>
  tx.get(
    `SELECT current_setting('search_path') AS path, current_setting('jit') AS jit,
       current_setting('default_transaction_isolation') AS isolation`,
  );

describe('a PostgreSQL whose sessions are serializable by default', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  beforeAll(async () => {
    empty = await createEmptyDatabase('postgres');
    const name = new URL(empty.url).pathname.slice(1);
    await executeOnServer(empty.url, `ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
  });
  afterAll(() => empty.remove());

  it('is migrated once by processes that start at the same time', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(empty.url)));
    await Promise.all(opened.map((database) => database.close()));
  });

  it.each([
    ['', '"$user", public'],
    ['?options=-c%20search_path%3Dpublic%20-c%20jit%3Don', 'public'],
  ])('has the same settings in all sessions, whatever PGOPTIONS says, with the address %s', async (options, path) => {
    vi.stubEnv('PGOPTIONS', '-c search_path=elsewhere');
    const { read, report, write, snapshot, bulk, close } = await openDatabase(empty.url + options);
    const ways = [read, report, write, snapshot, bulk].map((way) => way(settings));
    const found = await Promise.all([...ways, write(settings, { alone: true })]);
    expect(found).toEqual(found.map(() => ({ path, jit: 'off', isolation: 'read committed' })));
    await close();
    vi.unstubAllEnvs();
  });
});

it('a PostgreSQL plans the statements of lookups and shared units for any values, and lists for those of the call', async () => {
  const { url, remove } = await createEmptyDatabase('postgres');
  const { read, report, write, close } = await openDatabase(url);
  const mode = (tx: Transaction) => tx.get("SELECT current_setting('plan_cache_mode') AS mode");
  const [general, particular] = [{ mode: 'force_generic_plan' }, { mode: 'force_custom_plan' }];
  expect([await read(mode), await write(mode)]).toEqual([general, general]);
  expect(await report(mode)).toEqual(particular);
  // also after a walk on the same connection
  const walk = { deadlineMs: 60_000 };
  for (const options of [walk, {}, walk]) await report(mode, options);
  expect([await report(mode), await report(mode)]).toEqual([particular, particular]);
  const chosen = { mode: 'auto' };
  expect([await report(mode, walk), await write(mode, { alone: true })]).toEqual([chosen, chosen]);
  await close();
  await remove();
});

it('a PostgreSQL that accepts no further connections is not called unreachable, also later', async () => {
  const { url, remove } = await createEmptyDatabase('postgres');
  await executeOnServer(url, "CREATE ROLE few LOGIN PASSWORD 'few'; GRANT ALL ON SCHEMA public TO few");
  const address = Object.assign(new URL(url), { username: 'few', password: 'few' }).href;
  const database = await openDatabase(address);
  await executeOnServer(url, 'ALTER ROLE few CONNECTION LIMIT 0');
  const further = { code: 'UNAVAILABLE', message: expect.stringContaining('accepts no further connections') };
  for (const way of [database.read, database.report, database.snapshot]) {
    await expect(way((tx) => tx.get('SELECT 1'))).rejects.toMatchObject(further);
  }
  await expect(openDatabase(address)).rejects.toThrow('Raise max_connections');
  await database.close();
  await executeOnServer(url, 'DROP OWNED BY few CASCADE; DROP ROLE few');
  await remove();
});
