import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTurnsMemory, WriterTurns } from '../../../src/storage/sqlite/writer-turns.ts';
import { createEmptyDatabase } from '../../helpers/databases.ts';
import { startOwnTime } from '../../helpers/own-time.ts';

describe('turns of two writers', () => {
  let first: WriterTurns;
  let second: WriterTurns;
  beforeEach(() => {
    const memory = createTurnsMemory();
    first = new WriterTurns(memory, 1);
    second = new WriterTurns(memory, 2);
  });

  it('are taken at once while nobody else has one', async () => {
    for (const turns of [first, first, second, first, second]) {
      await turns.take();
      turns.give();
    }
  });

  it('never overlap, and each waits for one of the other at most', async () => {
    const order: number[] = [];
    let atWork = 0;
    const work = async (turns: WriterTurns, name: number) => {
      for (let round = 0; round < 50; round++) {
        await turns.take();
        atWork += 1;
        expect(atWork).toBe(1);
        order.push(name);
        // longer than the other needs to come back
        await sleep(1);
        atWork -= 1;
        turns.give();
      }
    };
    await Promise.all([work(first, 1), work(second, 2)]);
    const repeats = order.filter((name, index) => index > 0 && name === order[index - 1]);
    expect(order).toHaveLength(100);
    expect(repeats).toEqual([]);
  });

  it('go to the one who waits, however soon the other comes back', async () => {
    await first.take();
    const waiting = second.take().then(() => 'second');
    first.give();
    const again = first.take().then(() => 'first');
    expect(await Promise.race([waiting, again])).toBe('second');
    second.give();
    expect(await again).toBe('first');
  });

  it('come back from a thread that died with one', async () => {
    await second.take();
    const waiting = first.take();
    first.outlive();
    await waiting;
    first.give();
    await first.take();
  });

  it('are not kept for a thread that died while it waited', async () => {
    await first.take();
    void second.take();
    await sleep(5);
    first.outlive();
    first.give();
    await first.take();
    first.give();
  });
});

it('a writer that waits too long for its turn is refused, and writes again once it has one', async () => {
  const memory = createTurnsMemory();
  const other = new WriterTurns(memory, 2);
  const { url, remove } = await createEmptyDatabase('sqlite');
  const database = await openDatabase(url, { turns: new WriterTurns(memory, 1) });
  const write = () => database.write((tx) => tx.run("INSERT INTO rate_limits (key, points) VALUES ('a', 1)"));
  await other.take();
  const ownMs = await startOwnTime();
  await expect(write()).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 2 });
  expect(ownMs()).toBeLessThan(3_500);
  const later = write();
  other.give();
  expect(await later).toBe(1);
  await database.close();
  await remove();
});
