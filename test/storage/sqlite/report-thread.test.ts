import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { REPORT_DEADLINE_MS } from '../../../src/storage/report-deadline.ts';
import { Progress } from '../../../src/storage/sqlite/report-messages.ts';
import {
  countTo,
  createReportDatabase,
  ENDLESS,
  LONG_DEADLINE,
  type ReportDatabase,
  SLOW,
} from '../../helpers/report-databases.ts';

/** The started threads, to terminate them from outside, and what they say about their progress. */
const workers: Worker[] = [];
const progressOf: Progress[] = [];
vi.mock('node:worker_threads', async (original) => {
  const actual = await original<typeof import('node:worker_threads')>();
  class Watched extends actual.Worker {
    constructor(...parameters: ConstructorParameters<typeof Worker>) {
      super(...parameters);
      workers.push(this);
      progressOf.push(new Progress(parameters[1]?.workerData.progressMemory));
    }
  }
  return { ...actual, Worker: Watched };
});

const one = (tx: Transaction) => tx.get('SELECT 1 AS one');
const endless = (tx: Transaction) => tx.all(ENDLESS.sqlite);
const unavailable = { code: 'UNAVAILABLE', status: 503 };

describe('the report thread of a server on SQLite', () => {
  let test: ReportDatabase;
  let database: Database;
  beforeEach(async () => {
    workers.length = 0;
    progressOf.length = 0;
    test = await createReportDatabase('sqlite');
    database = test.database;
  });
  afterEach(() => test.remove());

  /** Settles when the thread runs a query. */
  const begun = (thread: number) => vi.waitUntil(() => progressOf[thread]?.running, { timeout: 60_000, interval: 5 });

  it('starts with the first report, and serves all', async () => {
    expect(workers).toHaveLength(0);
    await database.read(one);
    expect(workers).toHaveLength(0);
    for (let round = 0; round < 3; round++) await Promise.all([1, 2].map(() => database.report(one, LONG_DEADLINE)));
    expect(workers).toHaveLength(1);
    expect(test.problems).toEqual([]);
  });

  it('leaves the event loop of the calling thread free', async () => {
    let isOver = false;
    let turns = 0;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await database.report((tx) => tx.get(SLOW.sqlite), LONG_DEADLINE);
    isOver = true;
    expect(turns).toBeGreaterThan(100);
  });

  it('is replaced at a deadline, and other reports that waited run in the next one', async () => {
    await database.report(one, LONG_DEADLINE);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stopped = expect(database.report(endless)).rejects.toMatchObject(unavailable);
    const others = Promise.all(Array.from({ length: 20 }, () => database.report(one, LONG_DEADLINE)));
    await begun(0);
    vi.advanceTimersByTime(REPORT_DEADLINE_MS);
    vi.useRealTimers();
    await stopped;
    expect(await others).toEqual(Array(20).fill({ one: 1 }));
    expect(workers).toHaveLength(2);
    expect(test.problems).toEqual(['a report was stopped at its deadline']);
  });

  it('is kept when a report that only waited reaches its deadline', async () => {
    await database.report(one, LONG_DEADLINE);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const slow = database.report((tx) => tx.get(SLOW.sqlite), LONG_DEADLINE);
    const waiting = expect(database.report(endless)).rejects.toMatchObject(unavailable);
    await begun(0);
    vi.advanceTimersByTime(REPORT_DEADLINE_MS);
    vi.useRealTimers();
    await waiting;
    expect(await slow).toEqual({ count: 5_000_000 });
    expect(await database.report(one, LONG_DEADLINE)).toEqual({ one: 1 });
    expect(workers).toHaveLength(1);
  });

  it('is refused while too many statements continue after their deadline, and runs again afterwards', async () => {
    const stuck = (tx: Transaction) => tx.get(countTo(10_000_000));
    for (let round = 0; round < 2; round++) {
      await database.report(one, LONG_DEADLINE);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const stopped = expect(database.report(stuck)).rejects.toMatchObject(unavailable);
      await begun(round);
      vi.advanceTimersByTime(REPORT_DEADLINE_MS);
      vi.useRealTimers();
      await stopped;
    }
    await expect(database.report(one)).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining('still'),
    });
    await vi.waitUntil(() => database.report(one).catch(() => null), { timeout: 60_000, interval: 50 });
    expect(workers).toHaveLength(3);
  });

  it('is replaced when it dies: the query that ran is refused, others run again', async () => {
    await database.report(one, LONG_DEADLINE);
    const running = database.report(endless, LONG_DEADLINE);
    const refused = expect(running).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining('ended'),
    });
    await begun(0);
    const waiting = database.report(one, LONG_DEADLINE);
    void workers[0]?.terminate();
    await refused;
    expect(await waiting).toEqual({ one: 1 });
    expect(workers).toHaveLength(2);
    expect(test.problems).toEqual(['the report thread ended']);
  });

  it('is started again after it died idle', async () => {
    await database.report(one, LONG_DEADLINE);
    await workers[0]?.terminate();
    expect(await database.report(one, LONG_DEADLINE)).toEqual({ one: 1 });
    expect(workers).toHaveLength(2);
  });

  it('refuses reports while too many wait', async () => {
    await database.report(one, LONG_DEADLINE);
    const first = database.report(endless, { deadlineMs: 1_000 });
    const many = Promise.allSettled(Array.from({ length: 1_100 }, () => database.report(one, LONG_DEADLINE)));
    await expect(first).rejects.toMatchObject(unavailable);
    const refused = (await many).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(200);
    for (const { reason } of refused as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ ...unavailable, message: expect.stringContaining('Too many') });
    }
  });
});
