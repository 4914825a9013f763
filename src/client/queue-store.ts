import { isQueuedCall, type OnProblem, type QueuedCall } from './queued-call.ts';
import { createRuns, type Run } from './runs.ts';
import { backoffMs } from './sender.ts';
import { startTimer, type Timer } from './timer.ts';

/** Persists the queue. Each process needs its own store. */
export interface QueueStore {
  /**
   * Called at the start, and again after a failure until it succeeds; taking more than ten seconds is one. Tracking calls
   * wait for the first result, within their time limit.
   */
  load(): readonly QueuedCall[] | Promise<readonly QueuedCall[]>;
  /**
   * Called with the whole queue after each change; never before a `load` succeeded, and not again before it settles, or
   * has taken more than ten seconds. After an `unreadCallsError`, the queue is loaded again first.
   */
  save(calls: readonly QueuedCall[]): void | Promise<void>;
}

export interface QueueKeeper {
  /**
   * Reads the stored calls, unless that has been done, and passes them to `restore` before anything can be saved. When it
   * fails, it calls `retry` later, which is to load again.
   */
  load(restore: (stored: QueuedCall[]) => void, retry: () => void): Promise<void>;
  isLoaded(): boolean;
  /**
   * Writes the current content of `calls`; changes during a write cause one further write. Writes nothing before the stored
   * calls have been read, because that would overwrite them.
   */
  save(calls: readonly QueuedCall[]): void;
  /** Settles when nothing is left to write, or the store does not answer. */
  settled(): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;
/** Longer than a store needs; one that takes longer may never answer, because an edge runtime has ended its request. */
const ANSWER_MS_MAX = 10_000;
const NO_ANSWER = new Error(`it took longer than ${ANSWER_MS_MAX / 1000} seconds`);

/** Wraps the caller's store: reports its failures to `onProblem` and never throws. Does nothing without a store. */
export function createQueueKeeper(store: QueueStore | null, onProblem: OnProblem): QueueKeeper {
  let isLoaded = false;
  let loadFailures = 0;
  let timer: Timer;
  /** What is not a call, perhaps of a newer version: it stays in the store, behind the calls. */
  const foreign: unknown[] = [];
  let restoreCalls: (stored: QueuedCall[]) => void = () => undefined;
  let loadAgain: () => void = () => undefined;

  function retryLater(): void {
    clearTimeout(timer);
    timer = startTimer(() => loadAgain(), backoffMs(loadFailures, FIRST_RETRY_MS));
    loadFailures += 1;
  }

  function failToLoad(thrown: unknown): void {
    onProblem(storeError('loaded', thrown), null);
    retryLater();
  }

  async function read(): Promise<void> {
    try {
      const stored: unknown = (await store?.load()) ?? [];
      if (!Array.isArray(stored)) throw new Error('it is not a list of calls');
      // this one was given up, and a later one was faster
      if (isLoaded) return;
      const others = stored.filter((value) => !isQueuedCall(value));
      if (others.length > 0) onProblem(foreignError(others.length), null);
      foreign.push(...others);
      isLoaded = true;
      loadFailures = 0;
      restoreCalls(stored.filter(isQueuedCall));
    } catch (thrown) {
      if (!isLoaded) failToLoad(thrown);
    }
  }

  const loads = createRuns<null>(
    async (run) => void (await run.step(null, ANSWER_MS_MAX, read)),
    () => failToLoad(NO_ANSWER),
  );

  async function put(calls: readonly QueuedCall[]): Promise<void> {
    if (!isLoaded) return;
    try {
      await store?.save([...calls, ...foreign] as QueuedCall[]);
    } catch (thrown) {
      onProblem(storeError('saved', thrown), null);
      if (hasUnreadCalls(thrown)) {
        isLoaded = false;
        retryLater();
      }
    }
  }

  const writer = createWriter({
    put,
    mayWrite: () => isLoaded,
    onGivenUp: () => onProblem(storeError('saved', NO_ANSWER), null),
  });

  return {
    async load(restore, retry) {
      if (isLoaded) return;
      clearTimeout(timer);
      restoreCalls = restore;
      loadAgain = retry;
      const isFirst = loads.isIdle();
      await loads.join();
      // what was under way may have failed for a reason that is gone
      if (!isLoaded && !isFirst) await loads.join();
    },
    isLoaded: () => isLoaded,
    save(calls) {
      if (isLoaded) writer.write(calls);
    },
    settled: writer.settled,
  };
}

interface WriterParts {
  put(calls: readonly QueuedCall[]): Promise<void>;
  /** False from a write after which nothing may be written, until the calls have been read again. */
  mayWrite(): boolean;
  /** Hears of a write that took too long. */
  onGivenUp(): void;
}

/** Writes one after another, and leaves out what has changed again in the meantime. */
function createWriter({ put, mayWrite, onGivenUp }: WriterParts) {
  let unsaved: readonly QueuedCall[] | null = null;

  async function writeAll(run: Run<readonly QueuedCall[]>): Promise<void> {
    while (unsaved !== null) {
      const calls = unsaved;
      unsaved = null;
      const result = await run.step(calls, ANSWER_MS_MAX, () => put(calls));
      if (!mayWrite()) unsaved = null;
      if (result === null) {
        // a write that was given up may have overwritten a later one
        unsaved = calls;
        return;
      }
    }
    run.end();
  }

  const writes = createRuns(writeAll, (calls: readonly QueuedCall[]) => {
    unsaved = calls;
    onGivenUp();
  });

  return {
    write(calls: readonly QueuedCall[]): void {
      unsaved = calls;
      writes.start();
    },
    async settled(): Promise<void> {
      if (unsaved === null && writes.isIdle()) return;
      if (!(await writes.join())) await writes.join();
    },
  };
}

const UNREAD_CALLS = 'UnreadCallsError';

/** An error of a `save` that would overwrite calls which no `load` has returned. */
export function unreadCallsError(message: string): Error {
  return Object.assign(new Error(message), { name: UNREAD_CALLS });
}

/** By its name, because a store may come from the CommonJS build and the client from the other. */
function hasUnreadCalls(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === UNREAD_CALLS;
}

function storeError(what: string, thrown: unknown) {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'STORE_FAILED', message: `The queue could not be ${what}: ${reason}`, status: null };
}

function foreignError(count: number) {
  const message = `The store holds ${count} entries that this version cannot send; they stay there`;
  return { code: 'STORE_FAILED', message, status: null };
}
