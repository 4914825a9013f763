import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { UnreadDelivery } from '../app/service.ts';
import type { InterpretedDelivery } from '../core/delivery.ts';
import { unavailable } from '../errors.ts';
import { threadSource } from '../thread-source.ts';
import { type CopiedError, errorFrom } from './messages.ts';

/** To the thread, one at a time. The body is transferred. */
export type CopiedDelivery = Omit<UnreadDelivery, 'rawBody'> & { rawBody: Uint8Array };

/** From the thread: first that it is ready, then a reply to each delivery. */
export type FromThread = 'ready' | Reply;

/** `error` when the signature is invalid, or the processor's adapter could not be loaded. */
export type Reply = { result: InterpretedDelivery; error: null } | { result: null; error: CopiedError };

type Read = (delivery: UnreadDelivery) => Promise<InterpretedDelivery>;

/** Verifies, reads and interprets large deliveries, one at a time, on a thread that is started when one comes. */
export interface Interpreter {
  read: Read;
  close(): Promise<void>;
}

export interface InterpreterOptions {
  /** Reads a delivery on this thread. */
  readHere: Read;
  log: Logger;
  /** The thread ends after so long without a reply: it is idle or blocked. Half a minute by default. */
  silenceMaxMs?: number;
  /** The size of all bodies that wait. 64 MiB by default, which take a few seconds. */
  bytesMax?: number;
}

const SILENCE_MAX_MS = 30_000;
const BYTES_MAX = 64 * 1024 * 1024;
/** The largest body needs a third of it. What outgrows it is a bug, and ends only this thread unless it is a single object. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 256 };

/**
 * If the thread ends with an error, the delivery that it was given is answered `UNAVAILABLE`, so that its processor
 * retries, and the next one starts another thread. If it could not even start, this thread reads them from then on.
 */
export function createInterpreter({
  readHere,
  log,
  silenceMaxMs = SILENCE_MAX_MS,
  bytesMax = BYTES_MAX,
}: InterpreterOptions): Interpreter {
  let thread: InterpreterThread | null = null;
  let canStart = true;
  let isClosed = false;
  let waitingBytes = 0;
  let latest: Promise<void> = Promise.resolve();

  function start(): InterpreterThread | null {
    try {
      const started = new InterpreterThread(silenceMaxMs, (error) => {
        if (thread === started) thread = null;
        if (error !== null) noteFailure(error, started.isReady);
      });
      return started;
    } catch (error) {
      // the system refuses another thread
      noteFailure(error, false);
      return null;
    }
  }

  function noteFailure(error: unknown, hadStarted: boolean): void {
    canStart = hadStarted;
    log.error({ err: error }, 'the thread that reads large deliveries failed');
  }

  function readNext(delivery: UnreadDelivery): Promise<InterpretedDelivery> {
    if (isClosed) throw unavailable('The server is stopping');
    if (thread === null || thread.isEnding) thread = canStart ? start() : null;
    return thread === null ? readHere(delivery) : thread.read(delivery);
  }

  return {
    async read(delivery) {
      const { length } = delivery.rawBody;
      if (waitingBytes + length > bytesMax) throw unavailable('Too many large deliveries are waiting');
      waitingBytes += length;
      // in turn, because each takes several times its size in memory
      const turn = latest.then(() => readNext(delivery));
      const settled = () => {
        waitingBytes -= length;
      };
      latest = turn.then(settled, settled);
      return turn;
    },
    async close() {
      isClosed = true;
      await thread?.end();
    },
  };
}

/** One thread, from its start to its end. */
class InterpreterThread {
  readonly #worker: Worker;
  readonly #silence: NodeJS.Timeout;
  #pending: PromiseWithResolvers<InterpretedDelivery> | null = null;
  #error: Error | null = null;
  #isReady = false;
  #isEnding = false;

  /** @param onEnd called with the error that ended it, or null */
  constructor(silenceMaxMs: number, onEnd: (error: Error | null) => void) {
    this.#worker = new Worker(threadSource('interpreter-entry', import.meta.url), {
      eval: true,
      name: 'large deliveries',
      resourceLimits: HEAP_LIMITS,
    });
    // requests keep the process running, and nothing else should
    this.#worker.unref();
    this.#silence = setTimeout(() => {
      if (this.#pending !== null) this.#error = new Error(`It has not replied for ${silenceMaxMs} ms`);
      void this.end();
    }, silenceMaxMs).unref();
    this.#worker.on('message', (message: FromThread) => {
      this.#isReady = true;
      if (message !== 'ready') this.#settle(message);
    });
    this.#worker.on('error', (error) => {
      this.#error = error instanceof Error ? error : new Error(String(error));
    });
    this.#worker.on('exit', () => {
      clearTimeout(this.#silence);
      onEnd(this.#error);
      this.#pending?.reject(unavailable('The thread that reads large deliveries has ended'));
    });
  }

  /** False for a thread that could not even start. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Call it when the one before has settled. */
  read({ rawBody, ...delivery }: UnreadDelivery): Promise<InterpretedDelivery> {
    this.#silence.refresh();
    // a copy, because the caller still stores the body
    const copy = new Uint8Array(rawBody);
    this.#worker.postMessage({ ...delivery, rawBody: copy } satisfies CopiedDelivery, [copy.buffer]);
    this.#pending = Promise.withResolvers();
    return this.#pending.promise;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #settle({ result, error }: Reply): void {
    this.#silence.refresh();
    if (error === null) this.#pending?.resolve(result);
    else this.#pending?.reject(errorFrom(error));
    this.#pending = null;
  }
}
