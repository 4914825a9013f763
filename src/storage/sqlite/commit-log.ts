import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, realpathSync, statSync } from 'node:fs';
import { DatabaseFailure } from '../database.ts';
import { DATABASE_GONE, DISK_FAILED } from '../unavailable.ts';
import { logPathOf } from './log-path.ts';
import { isOverwritten } from './old-log.ts';
import { commitCellsIn } from './write-lock.ts';

const COMMITTED = 0;
const SYNCED = 1;
const COMMITTING = 2;

interface Waiter {
  /** The number of the commit that must be on disk. */
  commit: number;
  /** The number of the first sync of this thread that counts. */
  syncMin: number;
  resolve(): void;
  reject(error: DatabaseFailure): void;
}

/**
 * Puts the write-ahead log on disk after a commit, without blocking the thread: the disk may take milliseconds, or
 * seconds when it is busy. The connection itself commits with synchronous=NORMAL, which leaves the written log to the
 * operating system. Callers await `durable` before they answer, which gives the guarantee of FULL.
 */
export class CommitLog {
  readonly #databasePath: string;
  /** Of the database. */
  readonly #inode: number;
  readonly #descriptor: number;
  /** How many commits were made, how many of them are on disk (both wrap around), and whether one is being made. */
  readonly #cells: Int32Array;
  readonly #sync: typeof fdatasync;
  /** False on a file system that does not count the names of a file, such as some in user space. */
  readonly #countsNames: boolean;
  #waiters: Waiter[] = [];
  #isSyncing = false;
  #syncCount = 0;
  #failure: DatabaseFailure | undefined;

  /**
   * @param path of the database, which is open in WAL mode
   * @param memory that of the write lock of all threads that write to the file
   * @param sync replaces the system call in tests
   */
  constructor(path: string, memory: SharedArrayBuffer, sync: typeof fdatasync = fdatasync) {
    this.#databasePath = realpathSync(path);
    this.#inode = statSync(this.#databasePath).ino;
    this.#descriptor = openSync(logPathOf(path), 'r+');
    this.#cells = commitCellsIn(memory);
    this.#sync = sync;
    this.#countsNames = this.#hasName();
    // a process that was killed may have left commits that are only in the operating system's memory
    this.#noteCommit();
  }

  /**
   * Set after the disk failed: the operating system may have dropped what it could not write, so no later sync helps. Also
   * set after somebody has deleted the log, as when a backup is restored while the server runs.
   */
  get failure(): DatabaseFailure | undefined {
    return this.#failure;
  }

  /**
   * Runs a function that commits. Other threads may read the commit a moment before it is counted; a cell tells them
   * that this is possible.
   */
  noting(commit: () => void): void {
    Atomics.store(this.#cells, COMMITTING, 1);
    try {
      commit();
      this.#noteCommit();
    } finally {
      Atomics.store(this.#cells, COMMITTING, 0);
    }
  }

  #noteCommit(): void {
    Atomics.add(this.#cells, COMMITTED, 1);
  }

  /**
   * Resolves when everything that any thread has committed until now is on disk; undefined when it already is.
   * @throws DatabaseFailure (rejects) when the disk fails, or the log was deleted
   */
  durable(): Promise<void> | undefined {
    // read this cell first: once it is cleared, the commit has been counted
    const isCommitting = Atomics.load(this.#cells, COMMITTING) === 1;
    const commit = Atomics.load(this.#cells, COMMITTED);
    if (!isCommitting && isReached(Atomics.load(this.#cells, SYNCED), commit)) return undefined;
    if (this.#failure) return Promise.reject(this.#failure);
    // only a sync that begins from now on includes the commit in progress
    const syncMin = isCommitting ? this.#syncCount + 1 : 0;
    return new Promise((resolve, reject) => {
      this.#waiters.push({ commit, syncMin, resolve, reject });
      if (!this.#isSyncing) this.#startSync();
    });
  }

  /**
   * Empties the log if a backup was copied over the database. The last connection that closes would copy the log into it,
   * which would damage it. Call it only when that connection is about to close, see `isOverwritten`.
   */
  discardIfOverwritten(): void {
    if (isOverwritten(this.#databasePath, this.#inode)) ftruncateSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #startSync(): void {
    this.#isSyncing = true;
    this.#syncCount += 1;
    const commit = Atomics.load(this.#cells, COMMITTED);
    this.#sync(this.#descriptor, (error) => {
      this.#isSyncing = false;
      if (error) this.#fail(new DatabaseFailure(DISK_FAILED, false, error));
      // a deleted file can still be written and flushed, but nobody will read it
      else if (this.#countsNames && !this.#hasName()) this.#fail(new DatabaseFailure(DATABASE_GONE, false, undefined));
      else this.#noteSync(commit);
    });
  }

  #hasName(): boolean {
    return fstatSync(this.#descriptor).nlink > 0;
  }

  #noteSync(commit: number): void {
    for (let synced = Atomics.load(this.#cells, SYNCED); !isReached(synced, commit); ) {
      synced = Atomics.compareExchange(this.#cells, SYNCED, synced, commit);
    }
    const waiters = this.#waiters;
    const isServed = (waiter: Waiter) => isReached(commit, waiter.commit) && this.#syncCount >= waiter.syncMin;
    const [served, waiting] = [waiters.filter(isServed), waiters.filter((waiter) => !isServed(waiter))];
    this.#waiters = waiting;
    if (waiting.length > 0) this.#startSync();
    for (const { resolve } of served) resolve();
  }

  #fail(failure: DatabaseFailure): void {
    this.#failure = failure;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { reject } of waiters) reject(failure);
  }
}

/** Numbers wrap around after 2³¹, so only their difference counts. */
function isReached(current: number, commit: number): boolean {
  return ((current - commit) | 0) >= 0;
}
