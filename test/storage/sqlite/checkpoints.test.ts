import { randomBytes } from 'node:crypto';
import { copyFileSync, readFileSync, renameSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/storage/database.ts';
import { openDatabase, sqlitePathOf } from '../../../src/storage/open.ts';
import { backupDatabase } from '../../../src/storage/sqlite/backup.ts';
import { createLockMemory, DELIVERY_THREAD, MAIN_THREAD, WriteLock } from '../../../src/storage/sqlite/write-lock.ts';
import { createReportDatabase, LONG_DEADLINE, type ReportDatabase } from '../../helpers/report-databases.ts';

const MEBIBYTE = 1_024 * 1_024;
/** The size at which a checkpoint is due, plus what may be written until it is done. */
const LOG_MAX = 48 * MEBIBYTE;
/** Writes between two reads; far fewer, unless a busy machine runs the thread that reads and checkpoints later than others. */
const UNREAD_MAX = 16;

describe('checkpoints of a server on SQLite', () => {
  let test: ReportDatabase;
  let path: string;
  const logBytes = () => statSync(`${path}-wal`).size;
  /** Writes a quarter of a mebibyte into one of ten rows, so that the file stays small. */
  const write = (database: Database, n: number) =>
    database.write((tx) =>
      tx.run('INSERT INTO things VALUES (@key, @body) ON CONFLICT (key) DO UPDATE SET body = excluded.body', {
        key: n % 10,
        // SQLite writes only changed pages
        body: randomBytes(MEBIBYTE / 4),
      }),
    );

  beforeEach(async () => {
    test = await createReportDatabase('sqlite');
    path = sqlitePathOf(test.url) ?? '';
    await test.database.write((tx) => tx.run('CREATE TABLE things (key INTEGER PRIMARY KEY, body BYTEA)'));
  });
  afterEach(() => test.remove());

  it('do not run on the thread that answers', async () => {
    const setting = await test.database.write((tx) => tx.get('PRAGMA wal_autocheckpoint'));
    expect(setting).toEqual({ wal_autocheckpoint: 0 });
  });

  it('keep the log small under constant writes of two threads and constant reads', async () => {
    const writeLock = new WriteLock(test.writeLock.memory, DELIVERY_THREAD);
    const other = await openDatabase(test.url, { sqlite: { writeLock } });
    let isOver = false;
    let largest = 0;
    let unread = 0;
    const reading = (async () => {
      while (!isOver) {
        await test.database.report((tx) => tx.get('SELECT COUNT(*) AS count FROM things'), LONG_DEADLINE);
        largest = Math.max(largest, logBytes());
        unread = 0;
      }
    })();
    const writing = [test.database, other].map(async (database) => {
      for (let n = 0; n < 400; n++) {
        while (unread >= UNREAD_MAX) await sleep(1);
        unread += 1;
        await write(database, n);
      }
    });
    await Promise.all(writing);
    isOver = true;
    await reading;
    expect(largest).toBeGreaterThan(16 * MEBIBYTE);
    expect(largest).toBeLessThan(LOG_MAX);
    expect(test.problems).toEqual([]);
    await other.close();
  });

  it('continue once a long read has ended, and cut the log that grew meanwhile', async () => {
    const reader = new BetterSqlite3(path, { readonly: true });
    reader.exec('BEGIN; SELECT COUNT(*) FROM things');
    for (let n = 0; n < 400; n++) await write(test.database, n);
    expect(logBytes()).toBeGreaterThan(90 * MEBIBYTE);
    reader.exec('COMMIT');
    reader.close();
    for (let n = 0; logBytes() > 64 * MEBIBYTE && n < 100; n++) {
      await write(test.database, n);
      await sleep(50);
    }
    expect(logBytes()).toBeLessThanOrEqual(64 * MEBIBYTE);
  });

  it('leave a backup as it is that was put in place of the file, and the log only of a file that was moved', async () => {
    const [copy, file, moved] = [`${path}.copy`, `${path}.other`, `${path}.moved`];
    await backupDatabase(path, copy, { verify: false });
    for (const isMoved of [false, true]) {
      copyFileSync(copy, file);
      const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
      const server = await openDatabase(`file:${file}`, { sqlite: { writeLock, reportThread: { onProblem() {} } } });
      await write(server, 1);
      if (isMoved) renameSync(file, moved);
      copyFileSync(copy, file);
      await server.close();
      expect(readFileSync(file).equals(readFileSync(copy))).toBe(true);
    }
    renameSync(`${file}-wal`, `${moved}-wal`);
    const kept = await openDatabase(`file:${moved}`);
    expect(await kept.read((tx) => tx.get('SELECT key FROM things'))).toEqual({ key: 1 });
    await kept.close();
  });

  it('are made by the connection itself in a command', async () => {
    const command = await openDatabase(test.url);
    const setting = await command.write((tx) => tx.get('PRAGMA wal_autocheckpoint'));
    expect(setting).toEqual({ wal_autocheckpoint: (16 * MEBIBYTE) / 2_048 });
    await command.close();
  });
});
