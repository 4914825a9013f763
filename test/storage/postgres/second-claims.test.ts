import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimKeys } from '../../../src/app/claims.ts';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { hashOf } from '../../../src/storage/postgres/unit-session.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { asId } from '../../helpers/ids.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

const put = (tx: Transaction, key: string) => tx.run('INSERT INTO things (key) VALUES (@key)', { key });
const claim = (tx: Transaction, ...keys: string[]) => tx.claim(() => keys.map(claimKeys.payment));
/** The key of the two that units lock first. */
const [FIRST, SECOND] = ['a', 'b'].sort((a, b) =>
  hashOf(claimKeys.payment(a)) < hashOf(claimKeys.payment(b)) ? -1 : 1,
) as [string, string];

let test: TestDatabase;
let database: Database;
let other: Database;
beforeEach(async () => {
  test = await createTestDatabase('postgres');
  database = test.database;
  other = await openDatabase(test.url);
  await database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY)'));
});
afterEach(async () => {
  await other.close();
  await test.remove();
});

const keysOf = async (tx: Transaction) => {
  const rows = await tx.all<{ key: string }>('SELECT key FROM things ORDER BY key');
  return rows.map(({ key }) => key);
};

/** Another process holds the key until `end` is called, and then writes `holder`. */
async function hold(key: string) {
  const holder = holdAs('holder', (tx) => claim(tx, key));
  await holder.held;
  return holder;
}

function holdAs(name: string, claimIt: (tx: Transaction) => Promise<void>) {
  const held = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const ended = other.write(
    async (tx) => {
      await claimIt(tx);
      await put(tx, name);
      held.resolve();
      await mayEnd.promise;
    },
    { alone: true },
  );
  return { held: held.promise, end: () => mayEnd.resolve(), ended };
}

const waitingUnits = async () => {
  const sql = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`;
  return (await executeOnServer(test.url, sql)).length;
};

it.each([{ alone: true }, { alone: false }])(
  'a unit that needs a taken key starts again without the keys that it holds, and then sees what the holder wrote: %o',
  async (options) => {
    const holder = await hold(FIRST);
    const startedAgain = Promise.withResolvers<void>();
    let runs = 0;
    const waiting = database.write(async (tx) => {
      runs += 1;
      await claim(tx, SECOND);
      await put(tx, 'waiting');
      await claim(tx, FIRST);
      if (runs > 1) startedAgain.resolve();
      return keysOf(tx);
    }, options);
    await startedAgain.promise;
    // would wait for the unit that waits for the holder, which does not end before this
    await other.write(async (tx) => [await claim(tx, SECOND), await put(tx, 'third')], { alone: true });
    holder.end();
    expect(await waiting).toEqual(['holder', 'third', 'waiting']);
    await holder.ended;
    expect(await database.read(keysOf)).toEqual(['holder', 'third', 'waiting']);
  },
);

it('a page of an import that starts again holds nothing that webhooks need while it waits for another import', async () => {
  const keys = Array.from({ length: 8 }, (_, n) => `payment ${n}`).sort((a, b) =>
    hashOf(claimKeys.payment(a)) < hashOf(claimKeys.payment(b)) ? -1 : 1,
  );
  const taken = keys.pop() as string;
  const claimImport = (tx: Transaction) => tx.claim(() => [claimKeys.importedRecords(asId('acc_3'))]);
  const webhook = await hold(taken);
  const otherImport = Promise.withResolvers<ReturnType<typeof holdAs>>();
  let runs = 0;
  const page = database.write(
    async (tx) => {
      runs += 1;
      await claimImport(tx);
      await claim(tx, ...keys);
      await keysOf(tx);
      if (runs === 1) {
        otherImport.resolve(holdAs('import', claimImport));
        await expect.poll(waitingUnits, { interval: 5 }).toBe(1);
      }
      await claim(tx, taken);
      await put(tx, 'page');
    },
    { alone: true },
  );
  const importing = await otherImport.promise;
  await importing.held;
  webhook.end();
  await webhook.ended;
  await expect.poll(waitingUnits, { interval: 5 }).toBe(1);
  const hashes = keys.map((key) => hashOf(claimKeys.payment(key)));
  const tryAll = `SELECT bool_and(pg_try_advisory_xact_lock(key)) AS locked FROM unnest('{${hashes}}'::bigint[]) AS key`;
  const tried = await executeOnServer(test.url, tryAll);
  importing.end();
  await Promise.all([page, importing.ended]);
  expect(tried).toEqual([{ locked: true }]);
});

describe('a unit that leaves the others because a key is taken', () => {
  async function stayBeside(leave: (tx: Transaction) => Promise<unknown>) {
    const holder = await hold(FIRST);
    const leaving = database.write(leave);
    let runs = 0;
    await database.write(async (tx) => {
      runs += 1;
      await keysOf(tx);
      await keysOf(tx);
      await claim(tx, SECOND);
      await put(tx, 'staying');
    });
    holder.end();
    await Promise.all([leaving, holder.ended]);
    expect(runs).toBe(1);
    expect(await database.read(keysOf)).toEqual(['holder', 'leaving', 'staying']);
  }

  it('keeps no further key from them', () =>
    stayBeside(async (tx) => {
      await claim(tx, FIRST);
      await keysOf(tx);
      await claim(tx, SECOND);
      await put(tx, 'leaving');
    }));

  it('does not fail them with a write that it did not wait for', () =>
    stayBeside(async (tx) => {
      await claim(tx, FIRST);
      await keysOf(tx);
      tx.unawaited(put(tx, 'leaving'));
    }));
});
