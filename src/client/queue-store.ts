import { isQueuedCall, type OnProblem, type QueuedCall } from './queued-call.ts';

/** Persists the queue. Each process needs its own store. */
export interface QueueStore {
  /** Called once, at the start. Tracking calls wait for it, within their time limit. */
  load(): readonly QueuedCall[] | Promise<readonly QueuedCall[]>;
  /** Called with the whole queue after each change; never again before it settles. */
  save(calls: readonly QueuedCall[]): void | Promise<void>;
}

export interface QueueKeeper {
  /** The stored calls; empty when there are none, or when loading fails. */
  load(): Promise<QueuedCall[]>;
  /** Writes the current content of `calls`; changes during a write cause one further write. */
  save(calls: readonly QueuedCall[]): void;
  /** Settles when nothing is left to write. */
  settled(): Promise<void>;
}

/** Wraps the caller's store: reports its failures to `onProblem` and never throws. Does nothing without a store. */
export function createQueueKeeper(store: QueueStore | null, onProblem: OnProblem): QueueKeeper {
  let unsaved: readonly QueuedCall[] | null = null;
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (store !== null && unsaved !== null) {
      const calls = [...unsaved];
      unsaved = null;
      try {
        await store.save(calls);
      } catch (thrown) {
        onProblem(storeError('saved', thrown), null);
      }
    }
    writing = null;
  }

  return {
    async load() {
      try {
        return [...((await store?.load()) ?? [])].filter(isQueuedCall);
      } catch (thrown) {
        onProblem(storeError('loaded', thrown), null);
        return [];
      }
    },
    save(calls) {
      unsaved = calls;
      writing ??= write();
    },
    async settled() {
      await writing;
    },
  };
}

function storeError(what: string, thrown: unknown) {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'STORE_FAILED', message: `The queue could not be ${what}: ${reason}`, status: null };
}
