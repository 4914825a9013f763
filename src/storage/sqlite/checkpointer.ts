import { BUSY_TIMEOUT_MS, SqliteConnection, type WalState } from './connection.ts';
import { readBeginning } from './log-read-ahead.ts';
import type { WriteLock } from './write-lock.ts';

/** It caches no page: a checkpoint copies from file to file. */
const CACHE_KIBIBYTES = 64;

/** Copies the write-ahead log into the database file, on its own connection. */
export class Checkpointer {
  readonly #path: string;
  readonly #writeLock: WriteLock;
  #connection: SqliteConnection | undefined;

  constructor(path: string, writeLock: WriteLock) {
    this.#path = path;
    this.#writeLock = writeLock;
  }

  /**
   * Copies most of the log while others write, then the rest under the write lock, so that the next write starts the
   * log from the beginning. Without the lock, constant writes would make it grow forever. The first write to a reset
   * log waits for the disk, so it happens here.
   *
   * @throws DatabaseFailure when the file cannot be written
   */
  async run(): Promise<WalState> {
    this.#connection ??= new SqliteConnection(this.#path, {
      readonly: false,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
      cacheKibibytes: CACHE_KIBIBYTES,
    });
    this.#connection.checkpoint('PASSIVE');
    readBeginning(this.#path);
    await this.#writeLock.acquire();
    try {
      const state = this.#connection.checkpoint('RESTART');
      if (state.isReset) this.#connection.beginLog();
      return state;
    } finally {
      this.#writeLock.release();
    }
  }

  close(): void {
    this.#connection?.close();
  }
}
