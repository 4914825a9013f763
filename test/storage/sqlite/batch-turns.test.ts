import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';

const UNITS = 12;

describe('units of work that take long, at the same time', () => {
  let test: TestDatabase;
  let database: Database;
  let passedMs = 0;
  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    database = test.database;
    await database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY)'));
    const realNow = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await test.remove();
  });

  const storedKeys = async () => {
    const rows = await database.read((tx) => tx.all<{ key: string }>('SELECT key FROM things ORDER BY key'));
    return rows.map(({ key }) => key);
  };

  /** Returns the most units that began in one turn of the event loop, and how each ended. */
  async function runTogether(unit: (tx: Transaction, number: number) => Promise<unknown>) {
    let begun = 0;
    let mostPerTurn = 0;
    let areDone = false;
    const running = Array.from({ length: UNITS }, (_, number) =>
      database.write((tx) => {
        begun += 1;
        passedMs += 4;
        return unit(tx, number);
      }),
    );
    const ended = Promise.allSettled(running).finally(() => {
      areDone = true;
    });
    while (!areDone) {
      begun = 0;
      await nextTurn();
      mostPerTurn = Math.max(mostPerTurn, begun);
    }
    return { mostPerTurn, ended: (await ended).map(({ status }) => status) };
  }

  it('share a turn of the event loop only for a few milliseconds', async () => {
    const put = (tx: Transaction, number: number) =>
      tx.run('INSERT INTO things VALUES (@key)', { key: `${10 + number}` });
    const { mostPerTurn, ended } = await runTogether(put);
    expect(mostPerTurn).toBeLessThanOrEqual(3);
    expect(ended).toEqual(Array(UNITS).fill('fulfilled'));
    expect(await storedKeys()).toEqual(Array.from({ length: UNITS }, (_, number) => `${10 + number}`));
  });

  it('share it no longer when one of them fails after writing', async () => {
    const { mostPerTurn, ended } = await runTogether(async (tx, number) => {
      await tx.run('INSERT INTO things VALUES (@key)', { key: `${10 + number}` });
      if (number === 1) throw new Error('no');
    });
    // the first batch runs twice
    expect(mostPerTurn).toBeLessThanOrEqual(5);
    expect(ended).toEqual(Array.from({ length: UNITS }, (_, number) => (number === 1 ? 'rejected' : 'fulfilled')));
    expect(await storedKeys()).toHaveLength(UNITS - 1);
  });
});
