import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/storage/open.ts';
import { createLockMemory, WriteLock } from '../../../src/storage/sqlite/write-lock.ts';
import { createEmptyDatabase } from '../../helpers/databases.ts';
import { startOwnTime } from '../../helpers/own-time.ts';

describe('the write lock of several threads', () => {
  let first: WriteLock;
  let second: WriteLock;
  beforeEach(() => {
    const memory = createLockMemory();
    first = new WriteLock(memory, 1);
    second = new WriteLock(memory, 2);
  });

  it('is acquired at once when it is free', async () => {
    for (const lock of [first, first, second, first, second]) {
      await lock.acquire();
      lock.release();
    }
  });

  it('is never held by both threads, and each waits for at most one turn of the other', async () => {
    const order: number[] = [];
    let atWork = 0;
    const work = async (lock: WriteLock, name: number) => {
      for (let round = 0; round < 50; round++) {
        await lock.acquire();
        atWork += 1;
        expect(atWork).toBe(1);
        order.push(name);
        // longer than the other thread needs to ask again
        await sleep(1);
        atWork -= 1;
        lock.release();
      }
    };
    await Promise.all([work(first, 1), work(second, 2)]);
    const repeats = order.filter((name, index) => index > 0 && name === order[index - 1]);
    expect(order).toHaveLength(100);
    expect(repeats).toEqual([]);
  });

  it('goes to the waiting thread, however soon the other comes back', async () => {
    await first.acquire();
    const waiting = second.acquire().then(() => 'second');
    first.release();
    const again = first.acquire().then(() => 'first');
    expect(await Promise.race([waiting, again])).toBe('second');
    second.release();
    expect(await again).toBe('first');
  });

  it('goes round when three threads want it all the time', async () => {
    const order: number[] = [];
    const work = async (thread: number) => {
      const lock = thread === 1 ? first : thread === 2 ? second : new WriteLock(first.memory, thread);
      for (let round = 0; round < 20; round++) {
        await lock.acquire();
        order.push(thread);
        await sleep(1);
        lock.release();
      }
    };
    await Promise.all([1, 2, 8].map(work));
    // from the second turn on, all three are waiting
    expect(order.slice(1, 31)).toEqual(Array.from({ length: 10 }, () => [2, 8, 1]).flat());
  });

  it('is released for a thread that died while it held the lock', async () => {
    await second.acquire();
    const waiting = first.acquire();
    first.releaseDead(2);
    await waiting;
    first.release();
    await first.acquire();
  });

  it('is not kept for a thread that died while it waited', async () => {
    await first.acquire();
    void second.acquire();
    await sleep(5);
    first.releaseDead(2);
    first.release();
    await first.acquire();
    first.release();
  });
});

it('a write that waits too long for the lock is refused, and later ones succeed once it is released', async () => {
  const memory = createLockMemory();
  const other = new WriteLock(memory, 2);
  const { url, remove } = await createEmptyDatabase('sqlite');
  const database = await openDatabase(url, { sqlite: { writeLock: new WriteLock(memory, 1) } });
  const write = () => database.write((tx) => tx.run("INSERT INTO rate_limits (key, points) VALUES ('a', 1)"));
  await other.acquire();
  const ownMs = await startOwnTime();
  await expect(write()).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 2 });
  expect(ownMs()).toBeLessThan(3_500);
  const later = write();
  other.release();
  expect(await later).toBe(1);
  await database.close();
  await remove();
});
