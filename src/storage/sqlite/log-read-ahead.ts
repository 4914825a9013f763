import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { logPathOf } from './log-path.ts';

/** At 5 MB/s, what a fifth of a second writes. */
const AHEAD_BYTES = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** The system may have dropped what was read so long ago. */
const FRESH_MS = 5_000;

type ReadableLog = Pick<FileHandle, 'read' | 'close'>;

/**
 * Keeps in the system's memory the part of the write-ahead log that is written next. A log that was begun again lies on
 * disk already, and a frame fills no page of the system's: where the system has dropped the page, it reads it from disk
 * before it takes the write, and the thread that commits waits. Beside a backup or another busy program, it waited for up
 * to 45 ms. This reads the pages earlier, without blocking the thread.
 */
export class LogReadAhead {
  readonly #log: Promise<ReadableLog | null>;
  #buffer: Buffer | undefined;
  #readUntil = 0;
  #readAt = 0;
  #isReading = false;

  /** @param log the file's handle; a file that cannot be opened is not read */
  constructor(log: Promise<ReadableLog>) {
    this.#log = log.catch(() => null);
  }

  static of(databasePath: string): LogReadAhead {
    return new LogReadAhead(open(logPathOf(databasePath)));
  }

  /**
   * Call it after a commit. Settles when everything is read; never rejects.
   *
   * @param head how far the log is written, in bytes
   */
  async follow(head: number): Promise<void> {
    if (this.#isReading) return;
    const now = performance.now();
    const isAhead = this.#readUntil >= head && this.#readUntil <= head + AHEAD_BYTES;
    if (!isAhead || now - this.#readAt > FRESH_MS) this.#readUntil = head;
    if (this.#readUntil - head > AHEAD_BYTES / 2) return;
    this.#readAt = now;
    await this.#read(head + AHEAD_BYTES);
  }

  async close(): Promise<void> {
    await (await this.#log)?.close();
  }

  async #read(until: number): Promise<void> {
    this.#isReading = true;
    try {
      const log = await this.#log;
      while (log && this.#readUntil < until) {
        this.#buffer ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
        const length = Math.min(PIECE_BYTES, until - this.#readUntil);
        const { bytesRead } = await log.read(this.#buffer, 0, length, this.#readUntil);
        if (bytesRead === 0) break;
        this.#readUntil += bytesRead;
      }
    } catch {
      // the write itself says what is wrong with the file
    } finally {
      this.#isReading = false;
    }
  }
}

/** Reads what is written first when the log is begun again. Blocks the thread. */
export function readBeginning(databasePath: string): void {
  try {
    const log = openSync(logPathOf(databasePath), 'r');
    try {
      const buffer = Buffer.allocUnsafe(PIECE_BYTES);
      for (let at = 0; at < AHEAD_BYTES; at += PIECE_BYTES) readSync(log, buffer, 0, PIECE_BYTES, at);
    } finally {
      closeSync(log);
    }
  } catch {
    // as above
  }
}
