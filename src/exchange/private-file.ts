import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

const MODE = 0o600;
/** Written at once; smaller writes are collected. */
const CHUNK_BYTES = 256 * 1024;

/** A new file that only its owner can read. Writes in chunks; `finish` syncs it to the disk. */
export class PrivateFile {
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #waiting = '';
  #bytes = 0;
  #rows = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** @throws Error `EEXIST` when the file already exists */
  static async create(path: string): Promise<PrivateFile> {
    return new PrivateFile(await open(path, 'wx', MODE));
  }

  /** Adds a line with its line break. */
  async write(line: string): Promise<void> {
    this.#waiting += line;
    this.#rows += 1;
    if (this.#waiting.length >= CHUNK_BYTES) await this.#flush();
  }

  /** Closes the file; returns its rows, size and digest. */
  async finish(): Promise<{ rows: number; bytes: number; sha256: string }> {
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Closes a file that is no longer needed. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => {});
  }

  async #flush(): Promise<void> {
    const chunk = Buffer.from(this.#waiting, 'utf8');
    this.#waiting = '';
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    await this.#handle.writeFile(chunk);
  }
}
