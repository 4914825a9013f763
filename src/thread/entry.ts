/** Entry point of the thread that stores deliveries on its own write connection. */
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type DeliveryJob, LARGE_BODY_BYTES } from '../core/delivery.ts';
import { storeDelivery } from '../deliveries/store.ts';
import { freeBuffer } from '../free-buffer.ts';
import { openDatabase } from '../storage/open.ts';
import { DELIVERY_THREAD, WriteLock } from '../storage/sqlite/write-lock.ts';
import {
  copyError,
  type FromThread,
  type Settled,
  type ThreadData,
  type ToThread,
  unpackDeliveries,
} from './messages.ts';

const port = parentPort as MessagePort;
const { databaseUrl, lockMemory, caches } = workerData as ThreadData;
const writeLock = new WriteLock(lockMemory, DELIVERY_THREAD);
const database = await openDatabase(databaseUrl, { schema: 'expect', sqlite: { writeLock, caches } });

const inFlight = new Set<Promise<void>>();
/** Settled but not reported yet: one commit settles many at once. */
let settled: Settled[] = [];

port.on('message', (message: ToThread) => {
  if (message === 'close') {
    void close();
    return;
  }
  const stored = unpackDeliveries(message).map(({ number, job }) => {
    const storing = store(number, job).then(() => {
      inFlight.delete(storing);
    });
    inFlight.add(storing);
    return storing;
  });
  const { bodies } = message;
  if (bodies.byteLength > LARGE_BODY_BYTES) void Promise.all(stored).then(() => freeBuffer(new Uint8Array(bodies)));
});
send('ready');
flushCompileCache();

async function store(number: number, job: DeliveryJob): Promise<void> {
  try {
    report({ number, answer: await storeDelivery(database, job), error: null });
  } catch (error) {
    report({ number, answer: null, error: copyError(error) });
  }
}

function report(one: Settled): void {
  // runs after everything that the commit settles, and before the next batch
  if (settled.length === 0) process.nextTick(flush);
  settled.push(one);
}

function flush(): void {
  if (settled.length === 0) return;
  send(settled);
  settled = [];
}

function send(message: FromThread): void {
  port.postMessage(message);
}

async function close(): Promise<void> {
  await Promise.all(inFlight);
  flush();
  await database.close();
  port.close();
}
