import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { ServiceError } from '../errors.ts';
import type { WriterTurns } from '../storage/writer-turns.ts';
import type { DeliveryAnswer, DeliveryJob } from '../tracking/store-delivery.ts';
import { GivenDeliveries } from './given.ts';
import { copyError, type FromThread, type ThreadData, type ToThread } from './messages.ts';

type StoreDelivery = (job: DeliveryJob) => Promise<DeliveryAnswer>;

/** Stores deliveries on a thread of its own, beside the one that answers requests. */
export interface DeliveryThread {
  store: StoreDelivery;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export interface DeliveryThreadOptions extends ThreadData {
  /** This thread's turns; `turns` is the memory that both share. */
  ownTurns: WriterTurns;
  /** The same on this thread. */
  storeHere: StoreDelivery;
  log: Logger;
}

/** So many deliveries make a message before the event loop has turned: while the thread stores them, others are read. */
const MESSAGE_MAX = 8;

/** What a batch makes is garbage after it, so the thread needs less room for it than the main one, which has many requests at once. */
const YOUNG_GENERATION = '--max-semi-space-size=2';

/** The entry is TypeScript where this file is, and JavaScript after a build. */
const ENTRY = new URL(`./entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url).href;
/** A thread has a cache of compiled code of its own, which must be on before its first module. */
const LAUNCH = `require('node:module').enableCompileCache(); import(${JSON.stringify(ENTRY)})`;

/**
 * Starts the thread. A delivery that comes alone is stored here, because handing it over would take longer; what comes
 * while another is under way goes there, what came together in one message. Should the thread ever end, those under
 * way are answered `UNAVAILABLE` and repeated by their processor, and everything is stored here from then on.
 */
export function startDeliveryThread(options: DeliveryThreadOptions): DeliveryThread {
  const { databaseUrl, turns, ownTurns, storeHere, log } = options;
  // read when a thread is made: this one's was read long ago
  setFlagsFromString(YOUNG_GENERATION);
  const worker = new Worker(LAUNCH, {
    eval: true,
    name: 'deliveries',
    workerData: { databaseUrl, turns } satisfies ThreadData,
  });
  const given = new GivenDeliveries();
  const ended = Promise.withResolvers<void>();
  let state: 'starting' | 'ready' | 'ended' = 'starting';
  let hereCount = 0;
  let outgoing: { number: number; job: DeliveryJob }[] = [];

  worker.on('message', (message: FromThread) => {
    if (message === 'ready') state = 'ready';
    else for (const settled of message) given.settle(settled);
  });
  worker.on('error', (err) => log.error({ err }, 'the delivery thread failed'));
  worker.on('exit', (code) => {
    if (state !== 'ended') log.error({ code }, 'the delivery thread ended: deliveries are stored by the main one');
    state = 'ended';
    ownTurns.outlive();
    given.rejectAll(unknownOutcome());
    ended.resolve();
  });

  const send = (message: ToThread) => worker.postMessage(message);

  function flush(): void {
    if (outgoing.length === 0) return;
    const message = outgoing;
    outgoing = [];
    try {
      send(message);
    } catch (error) {
      // what cannot be copied is an adapter's mistake; nothing of the message has left
      for (const { number } of message) given.settle({ number, answer: null, error: copyError(error) });
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
    const { number, answer } = given.add(job.received.body.length);
    if (outgoing.length === 0) setImmediate(flush);
    // only these bytes, and not all of the memory that they lie in
    const body = new Uint8Array(job.received.body) as Buffer;
    outgoing.push({ number, job: { ...job, received: { ...job.received, body } } });
    if (outgoing.length === MESSAGE_MAX) flush();
    return answer;
  }

  return {
    store(job) {
      const isAlone = hereCount === 0 && given.isEmpty;
      return state === 'ready' && !isAlone ? there(job) : here(job);
    },
    async close() {
      flush();
      if (state !== 'ended') send('close');
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
