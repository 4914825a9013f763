import { isQueuedCall, type OnProblem, type QueuedCall } from './queued-call.ts';
import { backoffMs } from './sender.ts';

/** Persists the queue. Each process needs its own store. */
export interface QueueStore {
  /**
   * Called at the start, and again after a failure until it succeeds. Tracking calls wait for the first result, within
   * their time limit.
   */
  load(): readonly QueuedCall[] | Promise<readonly QueuedCall[]>;
  /**
   * Called with the whole queue after each change; never before a `load` succeeded, and never again before it settles. After
   * an `unreadCallsError`, the queue is loaded again first.
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
  /** Settles when nothing is left to write. */
  settled(): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;

/** Wraps the caller's store: reports its failures to `onProblem` and never throws. Does nothing without a store. */
export function createQueueKeeper(store: QueueStore | null, onProblem: OnProblem): QueueKeeper {
  let unsaved: readonly QueuedCall[] | null = null;
  let writing: Promise<void> | null = null;
  let isLoaded = false;
  let loadFailures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What is not a call, perhaps of a newer version: it stays in the store, behind the calls. */
  const foreign: unknown[] = [];
  let loadAgain: () => void = () => undefined;

  function retryLater(): void {
    timer = setTimeout(loadAgain, backoffMs(loadFailures, FIRST_RETRY_MS));
    timer.unref?.();
    loadFailures += 1;
  }

  async function write(): Promise<void> {
    while (store !== null && unsaved !== null) {
      const calls = [...unsaved, ...foreign] as QueuedCall[];
      unsaved = null;
      try {
        await store.save(calls);
      } catch (thrown) {
        onProblem(storeError('saved', thrown), null);
        if (hasUnreadCalls(thrown)) {
          isLoaded = false;
          unsaved = null;
          retryLater();
        }
      }
    }
    writing = null;
  }

  return {
    async load(restore, retry) {
      if (isLoaded) return;
      clearTimeout(timer);
      loadAgain = retry;
      try {
        const stored: unknown = (await store?.load()) ?? [];
        if (!Array.isArray(stored)) throw new Error('it is not a list of calls');
        const others = stored.filter((value) => !isQueuedCall(value));
        if (others.length > 0) onProblem(foreignError(others.length), null);
        foreign.push(...others);
        isLoaded = true;
        loadFailures = 0;
        restore(stored.filter(isQueuedCall));
      } catch (thrown) {
        onProblem(storeError('loaded', thrown), null);
        retryLater();
      }
    },
    isLoaded: () => isLoaded,
    save(calls) {
      if (!isLoaded) return;
      unsaved = calls;
      writing ??= write();
    },
    async settled() {
      await writing;
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
