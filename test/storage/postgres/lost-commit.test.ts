import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimKeys } from '../../../src/app/claims.ts';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { createPostgresProxy, type PostgresProxy } from '../../helpers/postgres-proxy.ts';

const raise = (tx: Transaction) => tx.run('UPDATE sums SET amount = amount + 1');
const raiseLast = (tx: Transaction) => tx.last('sums', async (last) => last.unawaited(raise(last)), 1);

describe('units on PostgreSQL whose connection is lost during the commit', () => {
  let test: TestDatabase;
  let proxy: PostgresProxy;
  let database: Database;
  beforeEach(async () => {
    test = await createTestDatabase('postgres');
    await test.database.write((tx) => tx.run('CREATE TABLE sums (amount BIGINT)'));
    await test.database.write((tx) => tx.run('INSERT INTO sums (amount) VALUES (0)'));
    proxy = await createPostgresProxy(test.url);
    database = await openDatabase(proxy.url);
  });
  afterEach(async () => {
    await database.close();
    await proxy.close();
    await test.remove();
  });

  const amount = async () =>
    (await test.database.read((tx) => tx.get<{ amount: number }>('SELECT * FROM sums')))?.amount;

  it.each([
    ['write', async (tx: Transaction) => void (await raise(tx))],
    ['write without waiting', async (tx: Transaction) => tx.unawaited(raise(tx))],
    ['write at the end', async (tx: Transaction) => raiseLast(tx)],
  ])('do not run again when they %s', async (_, unit) => {
    proxy.breakAfter('COMMIT');
    await expect(database.write(unit)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await amount()).toBe(1);
  });

  it('run again when they had left because another process holds their keys', async () => {
    const held = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const claim = (tx: Transaction) => tx.claim(() => [claimKeys.payment('a')]);
    const holding = test.database.write(
      async (tx) => {
        await claim(tx);
        // its answer comes behind that of the claim, which is granted by then
        await tx.get('SELECT 1 AS one');
        held.resolve();
        await mayEnd.promise;
      },
      { alone: true },
    );
    await held.promise;
    proxy.breakAfter('COMMIT');
    const [lost, left] = [database.write(raise), database.write(async (tx) => [await claim(tx), await raise(tx)])];
    await expect(lost).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    mayEnd.resolve();
    await holding;
    await left;
    expect(await amount()).toBe(2);
  });
});
