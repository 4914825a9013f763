import { isQueuedCall, type OnProblem, type QueuedCall } from './queued-call.ts';

/** Where the queue outlives the process. One store belongs to one process. */
export interface QueueStore {
  /** Asked once, at the start. */
  load(): readonly QueuedCall[] | Promise<readonly QueuedCall[]>;
  /** The whole queue, after each change; not called again before it settled. */
  save(calls: readonly QueuedCall[]): void | Promise<void>;
}

export interface QueueKeeper {
  /** What was stored; empty where nothing was, or where it could not be read. */
  load(): Promise<QueuedCall[]>;
  /** Writes what `calls` holds by then; changes that come meanwhile are one further write. */
  save(calls: readonly QueuedCall[]): void;
  /** Settles when nothing is left to be written. */
  settled(): Promise<void>;
}

/** Guards a store of the caller's: its failures are told, never thrown. Without a store nothing is kept. */
export function createQueueKeeper(store: QueueStore | null, onProblem: OnProblem): QueueKeeper {
  let waiting: readonly QueuedCall[] | null = null;
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (store !== null && waiting !== null) {
      const calls = [...waiting];
      waiting = null;
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
      waiting = calls;
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
