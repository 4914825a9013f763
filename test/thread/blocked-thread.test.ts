import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { storeDelivery } from '../../src/deliveries/store.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from '../../src/storage/sqlite/write-lock.ts';
import { startDeliveryThread } from '../../src/thread/start.ts';
import { createTestApp } from '../helpers/app.ts';
import { paymentJob } from '../helpers/delivery-job.ts';
import { asId } from '../helpers/ids.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';

const { CHANNEL, IS_FREE, IS_BLOCKED } = vi.hoisted(() => ({ CHANNEL: 'block deliveries', IS_FREE: 0, IS_BLOCKED: 1 }));

vi.mock('node:worker_threads', async (original) => {
  const actual = await original<typeof import('node:worker_threads')>();
  /** Blocks the thread, as its disk may, from the message with shared memory until that says that it is free. */
  const blockable = `
    const blocking = new BroadcastChannel('${CHANNEL}');
    blocking.onmessage = ({ data }) => {
      const cells = new Int32Array(data);
      Atomics.store(cells, ${IS_BLOCKED}, 1);
      Atomics.notify(cells, ${IS_BLOCKED});
      Atomics.wait(cells, ${IS_FREE}, 0);
    };
    blocking.unref();
  `;
  class Blockable extends actual.Worker {
    constructor(code: string, options: ConstructorParameters<typeof Worker>[1]) {
      super(blockable + code, options);
    }
  }
  return { ...actual, Worker: Blockable };
});

it('deliveries do not wait for a blocked thread: the main thread stores the others, and each is stored once', async () => {
  const app = await createTestApp('sqlite');
  await (await createReferrer(app)).lead('payer');
  const endpoint = { accountId: app.accountId, endpointId: asId<'whe'>((await createEndpoint(app, 'stripe')).id) };
  let paymentCount = 0;
  const payment = () => {
    paymentCount += 1;
    return paymentJob(endpoint, unique('in'), null);
  };
  const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
  const database = await openDatabase(app.databaseUrl, { sqlite: { writeLock } });
  const errors: string[] = [];
  let storedHere = 0;
  const { store, close } = startDeliveryThread({
    databaseUrl: app.databaseUrl,
    writeLock,
    storeHere: (job) => {
      storedHere += 1;
      return storeDelivery(database, job);
    },
    log: pino({ level: 'error' }, { write: (line) => void errors.push(JSON.parse(line).msg) }),
    checkPauseMs: 200,
  });
  /** Settles when the thread stores the second of two concurrent deliveries. */
  const untilReady = async () => {
    do {
      storedHere = 0;
      await Promise.all([store(payment()), store(payment())]);
    } while (storedHere === 2);
    storedHere = 0;
  };
  const countSales = async () =>
    (await database.read((tx) => tx.get<{ count: number }>('SELECT COUNT(*) AS count FROM sales')))?.count;

  await untilReady();
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const blocking = new BroadcastChannel(CHANNEL);
  blocking.postMessage(cells.buffer);
  await Atomics.waitAsync(cells, IS_BLOCKED, 0).value;

  const jobs = Array.from({ length: 10 }, payment);
  const ends = await Promise.allSettled(jobs.map(store));
  const unknown = { reason: expect.objectContaining({ code: 'OUTCOME_UNKNOWN', retryAfterSeconds: 2 }) };
  expect(ends).toMatchObject(jobs.map(() => unknown));
  expect(errors).toEqual(['the delivery thread is blocked; the main thread stores deliveries meanwhile']);

  // their processor sends them again
  const answers = await Promise.all([...jobs, payment(), payment()].map(store));
  expect(answers.map(({ outcome }) => outcome)).toEqual(Array(12).fill('sale'));
  expect(storedHere).toBe(12);
  expect(await countSales()).toBe(paymentCount);

  Atomics.store(cells, IS_FREE, 1);
  Atomics.notify(cells, IS_FREE);
  blocking.close();
  // from now on, the thread has also handled what it was sent while it was blocked
  await untilReady();
  expect(await countSales()).toBe(paymentCount);
  expect(errors).toHaveLength(1);
  await close();
  await database.close();
  await app.close();
});
