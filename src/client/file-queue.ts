import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { QueueStore } from './queue-store.ts';

/**
 * Keeps a client's queue in a file, so that it outlives the process; for Node, Bun and Deno. One file per process. Only
 * its user can read it, because it holds what you reported, including e-mail addresses.
 *
 * A file with other content is reported to `onProblem` as `STORE_FAILED`, and overwritten with the next change.
 */
export function createFileQueue(path: string): QueueStore {
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '[]';
        throw error;
      });
      return JSON.parse(text);
    },
    async save(calls) {
      await mkdir(dirname(path), { recursive: true });
      // renamed into place, so that a crash never leaves half a file
      await writeFile(`${path}.new`, JSON.stringify(calls), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
  };
}
