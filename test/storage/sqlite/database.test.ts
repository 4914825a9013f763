import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { openDatabase, sqlitePathOf } from '../../../src/storage/open.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { startOwnTime } from '../../helpers/own-time.ts';

const unavailable = { code: 'UNAVAILABLE', status: 503, retryAfterSeconds: expect.any(Number) };
const put = (tx: Transaction, key: string, body: Buffer | null = null) =>
  tx.run('INSERT INTO things (key, body) VALUES (@key, @body)', { key, body });
const limitPages = (tx: Transaction, pages: number) => tx.get(`PRAGMA max_page_count = ${pages}`);

describe('SQLite', () => {
  let test: TestDatabase;
  let database: Database;
  const keys = async () => {
    const rows = await database.read((tx) => tx.all<{ key: string }>('SELECT key FROM things ORDER BY key'));
    return rows.map(({ key }) => key);
  };
  const openBeside = () => new BetterSqlite3(sqlitePathOf(test.url) ?? '', { timeout: 0 });

  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    database = test.database;
    await database.write(async (tx) => {
      await tx.run('CREATE TABLE things (key TEXT PRIMARY KEY, body BYTEA)');
      await tx.run('CREATE TABLE parts (thing TEXT NOT NULL REFERENCES things (key))');
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await test.remove();
  });

  describe('durability', () => {
    it('is FULL after open, after the first write and after every reopen', async () => {
      expect(await database.durability()).toEqual({ synchronous: 'FULL' });
      for (let reopened = 0; reopened < 3; reopened += 1) {
        const again = await openDatabase(test.url);
        expect(await again.durability()).toEqual({ synchronous: 'FULL' });
        await again.write((tx) => put(tx, `${reopened}`));
        expect(await again.durability()).toEqual({ synchronous: 'FULL' });
        await again.close();
      }
    });

    it('relies on a write-ahead log and on checked foreign keys', async () => {
      const settings = await database.write(async (tx) => [
        await tx.get('PRAGMA journal_mode'),
        await tx.get('PRAGMA foreign_keys'),
      ]);
      expect(settings).toEqual([{ journal_mode: 'wal' }, { foreign_keys: 1 }]);
    });
  });

  describe('a full database', () => {
    it('refuses the unit that does not fit, stores the others of its batch, and recovers without a restart', async () => {
      const pages = (await database.read((tx) => tx.get<{ page_count: number }>('PRAGMA page_count')))?.page_count ?? 0;
      await database.write((tx) => limitPages(tx, pages + 10));
      const big = (tx: Transaction) => put(tx, 'big', Buffer.alloc(1_000_000));
      const results = await Promise.allSettled([
        database.write((tx) => put(tx, 'before')),
        database.write(async (tx) => {
          await put(tx, 'half');
          await big(tx).catch(() => {});
        }),
        database.write((tx) => put(tx, 'after')),
      ]);
      expect(results).toMatchObject([
        { status: 'fulfilled', value: 1 },
        { status: 'rejected', reason: { ...unavailable, message: expect.stringContaining('full') } },
        { status: 'fulfilled', value: 1 },
      ]);
      expect(await keys()).toEqual(['after', 'before']);
      await database.write((tx) => limitPages(tx, 1_000_000));
      expect(await database.write(big)).toBe(1);
      expect(await keys()).toEqual(['after', 'before', 'big']);
    });
  });

  describe('a transaction that SQLite rolls back as a whole', () => {
    it('rejects the unit that caused it and runs all others of the batch again', async () => {
      await database.write((tx) => put(tx, 'taken'));
      // a batch that took long would leave some of the units to the next one
      vi.spyOn(performance, 'now').mockReturnValue(performance.now());
      const runs: string[] = [];
      const run = (name: string, unit: (tx: Transaction) => Promise<unknown>) =>
        database.write((tx) => {
          runs.push(name);
          return unit(tx);
        });
      const results = await Promise.allSettled([
        run('first', (tx) => put(tx, 'first')),
        run('rests on first', async (tx) => {
          if (await tx.get("SELECT key FROM things WHERE key = 'first'")) throw new Error('first was here');
        }),
        run('culprit', async (tx) => {
          await put(tx, 'culprit');
          await tx.run("INSERT OR ROLLBACK INTO things (key) VALUES ('taken')").catch(() => 0);
        }),
        run('last', (tx) => put(tx, 'last')),
      ]);
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: new Error('first was here') },
        { status: 'rejected', reason: { message: expect.stringMatching(/unique/i) } },
        { status: 'fulfilled' },
      ]);
      expect(runs).toEqual(['first', 'rests on first', 'culprit', 'first', 'rests on first', 'last']);
      expect(await keys()).toEqual(['first', 'last', 'taken']);
    });

    it('a failed COMMIT is retried with each unit alone: only the culprit is rejected', async () => {
      const results = await Promise.allSettled([
        database.write((tx) => put(tx, 'first')),
        database.write(async (tx) => {
          await tx.run('PRAGMA defer_foreign_keys = ON');
          await tx.run("INSERT INTO parts (thing) VALUES ('nothing')");
        }),
        database.write((tx) => put(tx, 'last')),
      ]);
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { message: expect.stringMatching(/foreign key/i) } },
        { status: 'fulfilled' },
      ]);
      expect(await keys()).toEqual(['first', 'last']);
      expect(await database.read((tx) => tx.all('SELECT thing FROM parts'))).toEqual([]);
    });
  });

  describe('a locked file', () => {
    it('is waited for when a command holds the lock for a second', async () => {
      const other = openBeside();
      other.exec('BEGIN IMMEDIATE');
      const startedAt = performance.now();
      // stalls of the machine do not count as waiting
      const clock = vi.spyOn(performance, 'now').mockReturnValue(startedAt);
      const writes = Promise.all(['a', 'b'].map((key) => database.write((tx) => put(tx, key))));
      clock.mockReturnValue(startedAt + 1_000);
      await sleep(100);
      expect(await keys()).toEqual([]);
      other.exec('COMMIT');
      other.close();
      await writes;
      expect(await keys()).toEqual(['a', 'b']);
    });

    it('is UNAVAILABLE when held longer; reads continue and the event loop is not blocked', async () => {
      const other = openBeside();
      other.exec('BEGIN IMMEDIATE');
      const ownMs = await startOwnTime();
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 5);
      const startedAt = performance.now();
      await expect(database.write((tx) => put(tx, 'a'))).rejects.toMatchObject(unavailable);
      const [waitedMs, ownWaitedMs] = [performance.now() - startedAt, ownMs()];
      clearInterval(timer);
      expect(await keys()).toEqual([]);
      other.exec('ROLLBACK');
      other.close();
      expect(waitedMs).toBeGreaterThan(1_900);
      expect(ownWaitedMs).toBeLessThan(4_000);
      // a connection that blocked for 100 ms or more at a time would allow only 20
      expect(turns).toBeGreaterThan(60);
      expect(await database.write((tx) => put(tx, 'b'))).toBe(1);
    });

    it('is left to a server for 15 ms after 20 ms of a command, whose writes follow each other at once', async () => {
      const command = await openDatabase(test.url, { sqlite: { isBesideServer: true } });
      const starts: number[] = [];
      for (let row = 0; row < 24; row += 1) {
        await command.write((tx) => {
          const start = performance.now();
          starts.push(start);
          while (performance.now() < start + 5);
          return put(tx, `row ${row}`);
        });
      }
      await command.close();
      const isPaused = starts.map((start, row) => start - (starts[row - 1] ?? start) > 5 + 14);
      const stretches = isPaused.map((paused) => (paused ? '|' : '.')).join('');
      expect(stretches).toMatch(/^\.{1,6}(\|\.{0,5})+$/);
      expect(stretches.split('|').length).toBeGreaterThan(3);
    });

    it('can be opened by a command while another process writes', async () => {
      const other = openBeside();
      other.exec('BEGIN IMMEDIATE');
      const beside = await openDatabase(test.url);
      expect(await beside.read((tx) => tx.all('SELECT key FROM things'))).toEqual([]);
      other.exec('ROLLBACK');
      other.close();
      await beside.close();
    });
  });

  describe('a unit that awaits something else', () => {
    it('is rolled back and reported as a bug, its handle is dead, and the other units are stored', async () => {
      let late: Promise<unknown> = Promise.resolve();
      const results = await Promise.allSettled([
        database.write((tx) => put(tx, 'before')),
        database.write(async (tx) => {
          await put(tx, 'foreign');
          await sleep(20);
          late = put(tx, 'late');
          await late;
        }),
        database.write((tx) => put(tx, 'after')),
      ]);
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { message: expect.stringContaining('bug') } },
        { status: 'fulfilled' },
      ]);
      await sleep(40);
      await expect(late).rejects.toThrow('bug');
      expect(await keys()).toEqual(['after', 'before']);
    });

    it('is detected each time, even twice in one batch', async () => {
      const foreign = (key: string) =>
        database.write(async (tx) => {
          await put(tx, key);
          await sleep(20);
        });
      const results = await Promise.allSettled([foreign('a'), database.write((tx) => put(tx, 'b')), foreign('c')]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
      await sleep(40);
      expect(await keys()).toEqual(['b']);
    });

    it('a write inside a write is such a bug, not a deadlock', async () => {
      const nested = database.write(() => database.write((tx) => put(tx, 'inner')));
      await expect(nested).rejects.toThrow('bug');
      expect(await database.write((tx) => put(tx, 'next'))).toBe(1);
      expect(await keys()).toEqual(['inner', 'next']);
    });
  });

  it('refuses more than 10,000 queued writes, at once', async () => {
    const writes = Array.from({ length: 10_001 }, (_, i) => database.write((tx) => put(tx, `${i}`)));
    const results = await Promise.allSettled(writes);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10_000);
    expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: unavailable });
  });
});
