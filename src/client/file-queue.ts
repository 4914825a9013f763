import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parsed } from './answer.ts';
import { type QueueStore, unreadCallsError } from './queue-store.ts';

/** What this process has last seen at the path. */
interface Seen {
  /** The folder, which is another one once a volume is mounted there; null when there was none. */
  folder: string | null;
  /** The content of the file; null when there was none. */
  text: string | null;
  at: number;
}

/**
 * Keeps a client's queue in a file, so that it outlives the process; for Node, Bun and Deno. One file per process. Only
 * its user can read it, because it holds what you reported, including e-mail addresses.
 *
 * A file that cannot be read is left alone and read again later. One with other content, or half of it, is renamed to
 * `….unreadable-<time>`. One that appears after the start is read then, as when its volume is mounted late; if another
 * process has just written it, it is renamed to `….foreign-<time>`. All are reported to `onProblem` as `STORE_FAILED`.
 */
export function createFileQueue(path: string): QueueStore {
  let seen: Seen = { folder: null, text: null, at: 0 };

  /** Renames the file of another process; returns its new path, or null when there is none. @throws when it is to be read */
  async function moveForeignAside(): Promise<string | null> {
    const folder = await folderAt(path);
    // what has been replaced since, in the same folder, was written by another process
    if (seen.text !== null && folder === seen.folder) return null;
    const text = await textAt(path);
    if (text === null || text === seen.text) return null;
    const isMounted = seen.folder !== null && folder !== seen.folder;
    if (isMounted || (await stat(path)).mtimeMs < seen.at) {
      throw unreadCallsError(`${path} has appeared since the start: it is read and saved in a moment`);
    }
    return setAside(path, 'foreign');
  }

  return {
    async load() {
      const at = Date.now();
      const text = await textAt(path);
      const calls = text === null ? [] : parsed(text);
      if (Array.isArray(calls)) {
        seen = { folder: await folderAt(path), text, at };
        return calls;
      }
      throw new Error(`${path} does not hold a queue; it is now ${await setAside(path, 'unreadable')}`);
    },
    async save(calls) {
      const foreign = await moveForeignAside();
      await mkdir(dirname(path), { recursive: true });
      const text = JSON.stringify(calls);
      // flushed and renamed into place, so that neither a crash nor a power cut leaves half a file
      await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
      seen = { folder: await folderAt(path), text, at: seen.at };
      if (foreign === null) return;
      throw new Error(
        `another process has written ${path}, which is now ${foreign}: give each process a file of its own`,
      );
    },
  };
}

/** Null when there is no file. */
function textAt(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(nullIfMissing);
}

/** Identifies the folder of a file; null when there is none. */
async function folderAt(path: string): Promise<string | null> {
  const folder = await stat(dirname(path)).catch(nullIfMissing);
  return folder && `${folder.dev}:${folder.ino}`;
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

async function setAside(path: string, why: string): Promise<string> {
  const aside = `${path}.${why}-${Date.now()}`;
  await rename(path, aside);
  return aside;
}
