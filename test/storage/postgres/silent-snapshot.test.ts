import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { createPostgresProxy, type PostgresProxy } from '../../helpers/postgres-proxy.ts';

/** Far more than the silence that is tolerated, and far less than the kernel tolerates. */
const TOLERATED_MS_MAX = 120_000;

describe('a snapshot whose connection went silent', () => {
  let test: TestDatabase;
  let proxy: PostgresProxy;
  let database: Database;
  beforeEach(async () => {
    test = await createTestDatabase('postgres');
    proxy = await createPostgresProxy(test.url);
    database = await openDatabase(proxy.url);
  });
  afterEach(async () => {
    vi.useRealTimers();
    proxy.breakAll();
    await database.close();
    await proxy.close();
    await test.remove();
  });

  /** A snapshot that goes on with `work` when its connection is silent. Lets the time pass that is tolerated, at once. */
  async function snapshotInSilence(work: (tx: Transaction) => Promise<unknown>): Promise<unknown> {
    const silent = Promise.withResolvers<void>();
    let isOver = false;
    const ending = database
      .snapshot(async (tx) => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        proxy.freezeAll();
        silent.resolve();
        return work(tx);
      })
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    await silent.promise;
    for (let passed = 0; !isOver && passed < TOLERATED_MS_MAX; passed += 1_000) {
      await vi.advanceTimersByTimeAsync(1_000);
      // a destroyed socket closes in a later turn of the event loop
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isOver).toBe(true);
    return ending;
  }

  it('ends as UNAVAILABLE when its next page does not come', async () => {
    const ended = await snapshotInSilence((tx) => tx.all('SELECT id FROM accounts'));
    expect(ended).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('ends when its reader has left', async () => {
    const left = new Error('left');
    expect(await snapshotInSilence(() => Promise.reject(left))).toBe(left);
  });
});
