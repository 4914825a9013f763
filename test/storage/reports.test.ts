import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimKeys } from '../../src/app/claims.ts';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { engines } from '../helpers/databases.ts';
import {
  createReportDatabase,
  ENDLESS,
  LONG_DEADLINE,
  type ReportDatabase,
  SLOW,
} from '../helpers/report-databases.ts';

const UNSAFE = "SELECT CAST('9007199254740993' AS BIGINT) AS amount";
const tooSlow = {
  code: 'UNAVAILABLE',
  status: 503,
  retryAfterSeconds: expect.any(Number),
  message: expect.stringMatching(/took longer than [\d.]+ s.*shorter period, a smaller limit or a filter/),
};
const one = (tx: Transaction) => tx.get('SELECT 1 AS one');

describe.each(engines)('reports of a server on %s', (engine) => {
  let test: ReportDatabase;
  let database: Database;
  const endless = (tx: Transaction) => tx.all(ENDLESS[engine]);
  const slow = (tx: Transaction) => tx.all(SLOW[engine]);
  const touch = () => database.write((tx) => tx.run("UPDATE things SET note = note WHERE key = 'none'"));

  beforeAll(async () => {
    test = await createReportDatabase(engine);
    database = test.database;
    await database.write(async (tx) => {
      await tx.run('CREATE TABLE things (key TEXT PRIMARY KEY, amount BIGINT, note TEXT, body BYTEA)');
      const insert = 'INSERT INTO things (key, amount, note, body) VALUES (@key, @amount, @note, @body)';
      const body = Buffer.from([0, 255, 39, 92]);
      await tx.run(insert, { key: 'all', amount: Number.MAX_SAFE_INTEGER, note: 'Žofie \u{1f9ea} 漢', body });
      await tx.run(insert, { key: 'none', amount: null, note: null, body: null });
    });
  });
  afterAll(() => test.remove());

  it('return what a read returns: integers, text, bytes, null, no row', async () => {
    const unit = async (tx: Transaction) => ({
      rows: await tx.all('SELECT * FROM things ORDER BY key'),
      byBytes: await tx.get('SELECT key, body FROM things WHERE body = @body', { body: Buffer.from([0, 255, 39, 92]) }),
      seventh: await tx.get('SELECT amount / @parts AS part FROM things WHERE key = @key', { parts: 7, key: 'all' }),
      nobody: await tx.get("SELECT key FROM things WHERE key = 'nobody'"),
      nothing: await tx.all("SELECT key FROM things WHERE key = 'nobody'"),
    });
    const report = await database.report(unit);
    expect(report).toEqual(await database.read(unit));
    expect(Buffer.isBuffer((report.rows[0] as { body: unknown }).body)).toBe(true);
    expect(report.byBytes).toMatchObject({ key: 'all' });
  });

  it('throw what a read throws: unsafe integers, a missing parameter, wrong SQL, the error of the unit', async () => {
    await expect(database.report((tx) => tx.get(UNSAFE))).rejects.toThrow(
      'the largest number that JSON can hold exactly',
    );
    await expect(database.report((tx) => tx.all(UNSAFE))).rejects.toThrow(
      'the largest number that JSON can hold exactly',
    );
    await expect(database.report((tx) => tx.get('SELECT @n AS n', { n: 0.5 }))).rejects.toThrow('not a safe integer');
    await expect(database.report((tx) => tx.get('SELECT @n AS n'))).rejects.toThrow('@n is missing');
    await expect(database.report((tx) => tx.get('SELECT nothing'))).rejects.toThrow('nothing');
    await expect(database.report(async () => Promise.reject(new Error('of the unit')))).rejects.toThrow('of the unit');
    expect(await database.report(one)).toEqual({ one: 1 });
  });

  it('refuse to write and to claim', async () => {
    const writes: ((tx: Transaction) => Promise<unknown>)[] = [
      (tx) => tx.run('DELETE FROM things'),
      (tx) => tx.get('DELETE FROM things RETURNING key'),
      (tx) => tx.all('DELETE FROM things RETURNING key'),
      (tx) => tx.claim(() => [claimKeys.payment('pay_1')]),
    ];
    for (const write of writes) await expect(database.report(write)).rejects.toThrow('A read must');
    expect(await database.read((tx) => tx.all('SELECT key FROM things'))).toHaveLength(2);
  });

  it('see what is committed when each query runs', async () => {
    const find = (tx: Transaction) => tx.get("SELECT note FROM things WHERE key = 'none'");
    const notes = await database.report(async (tx) => {
      const before = await find(tx);
      await database.write((other) => other.run("UPDATE things SET note = 'new' WHERE key = 'none'"));
      return [before, await find(tx)];
    });
    expect(notes).toEqual([{ note: null }, { note: 'new' }]);
  });

  it('delay neither reads nor writes', async () => {
    let isOver = false;
    const report = database.report(slow, LONG_DEADLINE).then(() => {
      isOver = true;
    });
    for (let round = 0; round < 5; round++) {
      await database.read(one);
      await touch();
    }
    expect(isOver).toBe(false);
    await report;
  });

  it('do not delay a short report when they have many queries', async () => {
    const order: string[] = [];
    const long = database.report(async (tx) => {
      for (let n = 0; n < 300; n++) await one(tx);
      order.push('long');
    });
    const greedy = database.report(async (tx) => {
      await Promise.all(Array.from({ length: 300 }, () => one(tx)));
      order.push('greedy');
    });
    await database.report(one);
    order.push('short');
    await Promise.all([long, greedy]);
    expect(order[0]).toBe('short');
  });

  it('are refused at their deadline with advice, and the next one works', async () => {
    await expect(database.report(endless, { deadlineMs: 200 })).rejects.toMatchObject(tooSlow);
    expect(await database.report(one)).toEqual({ one: 1 });
  });

  it('run no further query after their deadline', async () => {
    const later = Promise.withResolvers<unknown>();
    const unit = async (tx: Transaction) => {
      await endless(tx).catch(() => {});
      later.resolve(await one(tx).catch((error) => error));
    };
    await expect(database.report(unit, { deadlineMs: 200 })).rejects.toMatchObject(tooSlow);
    expect(await later.promise).toMatchObject(tooSlow);
  });

  it('are finished before the database closes', async () => {
    const other = await createReportDatabase(engine);
    const reports = Promise.all([slow, one].map((unit) => other.database.report<unknown>(unit, LONG_DEADLINE)));
    await other.database.close();
    expect(await reports).toEqual([expect.any(Array), { one: 1 }]);
    await expect(other.database.report(one)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await other.remove();
  });
});
