import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parsed } from './answer.ts';
import type { QueueStore } from './queue-store.ts';

/**
 * Keeps a client's queue in a file, so that it outlives the process; for Node, Bun and Deno. One file per process. Only
 * its user can read it, because it holds what you reported, including e-mail addresses.
 *
 * A file that cannot be read is left alone and read again later. One with other content, or half of it, is renamed to
 * `….unreadable-<time>`. Both are reported to `onProblem` as `STORE_FAILED`.
 */
export function createFileQueue(path: string): QueueStore {
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '[]';
        throw error;
      });
      const calls = parsed(text);
      if (Array.isArray(calls)) return calls;
      const aside = `${path}.unreadable-${Date.now()}`;
      await rename(path, aside);
      throw new Error(`${path} does not hold a queue; it is now ${aside}`);
    },
    async save(calls) {
      await mkdir(dirname(path), { recursive: true });
      // flushed and renamed into place, so that neither a crash nor a power cut leaves half a file
      await writeFile(`${path}.new`, JSON.stringify(calls), { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
    },
  };
}
