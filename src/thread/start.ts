import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { DeliveryAnswer, DeliveryJob } from '../core/delivery.ts';
import { takesLong } from '../deliveries/store.ts';
import { ServiceError } from '../errors.ts';
import { DELIVERY_THREAD, type WriteLock } from '../storage/sqlite/write-lock.ts';
import { threadSource } from '../thread-source.ts';
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

/** Stores deliveries on a second thread, besides the main one, which answers requests. */
export interface DeliveryThread {
  store: StoreDelivery;
  /** Waits for deliveries in flight. */
  close(): Promise<void>;
}

export interface DeliveryThreadOptions extends Omit<ThreadData, 'lockMemory'> {
  /** This thread's side of the lock. */
  writeLock: WriteLock;
  /** Stores a delivery on this thread. */
  storeHere: StoreDelivery;
  log: Logger;
  /** A thread that settles none of its deliveries for five to six such pauses is blocked. A second by default. */
  checkPauseMs?: number;
}

/** Deliveries per message: the thread stores a full one while this thread reads more, in the same turn of the event loop. */
const MESSAGE_MAX = 8;
/** A burst ends after this many deliveries without overlap. */
const SEQUENTIAL_MIN = 8;
const CHECK_PAUSE_MS = 1_000;

/**
 * Starts the thread. Sequential deliveries are stored on this thread, because handing them over would take longer, except
 * those that would hold up other requests. Once two overlap, all deliveries go to the other thread until they are
 * sequential again; those that arrive together share a message. Alternating would cost more, because each connection must
 * reread what the other wrote. If the thread ever ends, or something blocks it for more than five seconds, deliveries in
 * flight are answered `OUTCOME_UNKNOWN`, so that their processor retries, and this thread stores the rest. A blocked
 * thread may store its own later; whichever comes second is a duplicate.
 */
export function startDeliveryThread(options: DeliveryThreadOptions): DeliveryThread {
  const { databaseUrl, writeLock, caches, storeHere, log, checkPauseMs = CHECK_PAUSE_MS } = options;
  const worker = new Worker(threadSource('entry', import.meta.url), {
    eval: true,
    name: 'deliveries',
    workerData: { databaseUrl, lockMemory: writeLock.memory, caches } satisfies ThreadData,
  });
  const pending = new PendingDeliveries();
  const ended = Promise.withResolvers<void>();
  let state: 'starting' | 'ready' | 'ended' = 'starting';
  let mainCount = 0;
  let sequentialCount = SEQUENTIAL_MIN;
  let outgoing: NumberedJob[] = [];

  worker.on('message', (message: FromThread) => {
    // it may become ready after it was closed
    if (message === 'ready') state = state === 'starting' ? 'ready' : state;
    else for (const settled of message) pending.settle(settled);
  });
  const checking = setInterval(() => {
    if (pending.check(unknownOutcome('is blocked')))
      log.error('the delivery thread is blocked; the main thread stores deliveries meanwhile');
  }, checkPauseMs).unref();
  worker.on('error', (err) => log.error({ err }, 'the delivery thread failed'));
  worker.on('exit', (code) => {
    if (state !== 'ended') log.error({ code }, 'the delivery thread ended; the main thread stores deliveries now');
    state = 'ended';
    clearInterval(checking);
    writeLock.releaseDead(DELIVERY_THREAD);
    pending.rejectAll(unknownOutcome('ended'));
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
      // only a bug in an adapter makes a delivery uncopyable; nothing of the message was sent
      for (const { number } of deliveries) pending.settle({ number, answer: null, error: copyError(error) });
    }
  }

  async function storeOnMain(job: DeliveryJob): Promise<DeliveryAnswer> {
    mainCount += 1;
    try {
      return await storeHere(job);
    } finally {
      mainCount -= 1;
    }
  }

  async function storeOnThread(job: DeliveryJob): Promise<DeliveryAnswer> {
    const { number, answer } = pending.add(job.received.body.length);
    if (outgoing.length === 0) setImmediate(flush);
    outgoing.push({ number, job });
    if (outgoing.length === MESSAGE_MAX) flush();
    return answer;
  }

  return {
    store(job) {
      sequentialCount = mainCount === 0 && pending.isEmpty ? sequentialCount + 1 : 0;
      const isForThread = sequentialCount < SEQUENTIAL_MIN || takesLong(job);
      return isForThread && state === 'ready' && !pending.isBlocked ? storeOnThread(job) : storeOnMain(job);
    },
    async close() {
      flush();
      if (state !== 'ended') worker.postMessage('close' satisfies ToThread);
      // late deliveries are stored on this thread
      state = 'ended';
      await ended.promise;
    },
  };
}

/** The thread may have ended, or be blocked, before or after its commit. */
function unknownOutcome(why: string): ServiceError {
  const message = `The thread that stores deliveries ${why}; whether this delivery was stored is unknown. Send it again`;
  return new ServiceError('OUTCOME_UNKNOWN', message, { retryAfterSeconds: 2 });
}
