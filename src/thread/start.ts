import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { DeliveryAnswer, DeliveryJob } from '../core/delivery.ts';
import { ServiceError } from '../errors.ts';
import type { WriteLock } from '../storage/sqlite/write-lock.ts';
import {
  copyError,
  type FromThread,
  type NumberedJob,
  packDeliveries,
  type ThreadData,
  type ToThread,
} from './messages.ts';
import { PendingDeliveries } from './pending-deliveries.ts';

type StoreDelivery = (job: DeliveryJob) => Promise<DeliveryAnswer>;

/** Stores deliveries on a thread of its own, beside the one that answers requests. */
export interface DeliveryThread {
  store: StoreDelivery;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export interface DeliveryThreadOptions extends ThreadData {
  /** This thread's side of the lock; `lockMemory` is what both threads share. */
  writeLock: WriteLock;
  /** Stores a delivery on this thread. */
  storeHere: StoreDelivery;
  log: Logger;
}

/** So many deliveries make a message before the event loop has turned: while the thread stores them, others are read. */
const MESSAGE_MAX = 8;
/** After so many one by one, a burst is over. */
const ALONE_IN_A_ROW = 8;

/** The entry is TypeScript where this file is, and JavaScript after a build. */
const ENTRY = new URL(`./entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url).href;
/** A thread has a cache of compiled code of its own, which must be on before its first module. */
const LAUNCH = `require('node:module').enableCompileCache(); import(${JSON.stringify(ENTRY)})`;

/**
 * Starts the thread. Deliveries that come one by one are stored here, because handing them over would take longer; once
 * two overlap all go there, what came together in one message, until they come one by one again. Alternating would cost
 * more: each connection reads anew what the other wrote. Should the thread ever end, those under way are answered
 * `UNAVAILABLE` and repeated by their processor, and everything is stored here from then on.
 */
export function startDeliveryThread(options: DeliveryThreadOptions): DeliveryThread {
  const { databaseUrl, lockMemory, writeLock, storeHere, log } = options;
  const worker = new Worker(LAUNCH, {
    eval: true,
    name: 'deliveries',
    workerData: { databaseUrl, lockMemory } satisfies ThreadData,
  });
  const pending = new PendingDeliveries();
  const ended = Promise.withResolvers<void>();
  let state: 'starting' | 'ready' | 'ended' = 'starting';
  let hereCount = 0;
  let aloneInARow = ALONE_IN_A_ROW;
  let outgoing: NumberedJob[] = [];

  worker.on('message', (message: FromThread) => {
    if (message === 'ready') state = 'ready';
    else for (const settled of message) pending.settle(settled);
  });
  worker.on('error', (err) => log.error({ err }, 'the delivery thread failed'));
  worker.on('exit', (code) => {
    if (state !== 'ended') log.error({ code }, 'the delivery thread ended: deliveries are stored by the main one');
    state = 'ended';
    writeLock.releaseOther();
    pending.rejectAll(unknownOutcome());
    ended.resolve();
  });

  function flush(): void {
    if (outgoing.length === 0) return;
    const deliveries = outgoing;
    outgoing = [];
    try {
      const message = packDeliveries(deliveries);
      worker.postMessage(message satisfies ToThread, [message.bodies]);
    } catch (error) {
      // what cannot be copied is an adapter's mistake; nothing of the message has left
      for (const { number } of deliveries) pending.settle({ number, answer: null, error: copyError(error) });
    }
  }

  async function here(job: DeliveryJob): Promise<DeliveryAnswer> {
    hereCount += 1;
    try {
      return await storeHere(job);
    } finally {
      hereCount -= 1;
    }
  }

  async function there(job: DeliveryJob): Promise<DeliveryAnswer> {
    const { number, answer } = pending.add(job.received.body.length);
    if (outgoing.length === 0) setImmediate(flush);
    outgoing.push({ number, job });
    if (outgoing.length === MESSAGE_MAX) flush();
    return answer;
  }

  return {
    store(job) {
      aloneInARow = hereCount === 0 && pending.isEmpty ? aloneInARow + 1 : 0;
      return state === 'ready' && aloneInARow < ALONE_IN_A_ROW ? there(job) : here(job);
    },
    async close() {
      flush();
      if (state !== 'ended') worker.postMessage('close' satisfies ToThread);
      // whatever still comes is stored here
      state = 'ended';
      await ended.promise;
    },
  };
}

/** The thread ended between a commit and the word of it, or before. */
function unknownOutcome(): ServiceError {
  const message = 'The thread that stores deliveries ended; whether this one was stored is not known. Send it again';
  return new ServiceError('UNAVAILABLE', message, { retryAfterSeconds: 2 });
}
