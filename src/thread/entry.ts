/** The thread that stores deliveries: a write connection of its own, and the use case that runs on it. */
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../storage/open.ts';
import { WriterTurns } from '../storage/writer-turns.ts';
import { storeDelivery } from '../tracking/store-delivery.ts';
import { copyError, type FromThread, type Settled, type ThreadData, type ToThread } from './messages.ts';

const port = parentPort as MessagePort;
const { databaseUrl, turns } = workerData as ThreadData;
const database = await openDatabase(databaseUrl, { turns: new WriterTurns(turns, 2) });

/** What settled since the last turn of the event loop: a commit settles many at once. */
let settled: Settled[] = [];

function tell(one: Settled): void {
  if (settled.length === 0) {
    setImmediate(() => {
      send(settled);
      settled = [];
    });
  }
  settled.push(one);
}

function send(message: FromThread): void {
  port.postMessage(message);
}

port.on('message', (message: ToThread) => {
  if (message === 'close') {
    // waits for what is under way
    void database.close().then(() => setImmediate(() => port.close()));
    return;
  }
  for (const { number, job } of message) {
    // bytes arrive as what Buffer is made of
    const { buffer, byteOffset, byteLength } = job.received.body;
    const received = { ...job.received, body: Buffer.from(buffer, byteOffset, byteLength) };
    storeDelivery(database, { ...job, received }).then(
      (answer) => tell({ number, answer, error: null }),
      (error) => tell({ number, answer: null, error: copyError(error) }),
    );
  }
});
send('ready');
flushCompileCache();
