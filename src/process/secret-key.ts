import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError, parseSecretKey } from './config.ts';

const KEY_BYTES = 32;
const FILE_NAME = 'secret.key';
const OTHERS_MAY_READ = 0o077;

/**
 * The key in the file beside a SQLite database; made on the first start, readable by its owner only.
 *
 * @throws ConfigError for a file that others may read or that holds no key
 */
export function loadKeyFile(databasePath: string): Buffer {
  const path = join(dirname(databasePath), FILE_NAME);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) createKeyFile(path);
  const key = parseSecretKey(readFileSync(path, 'utf8').trim());
  if (key === null) {
    throw new ConfigError([{ name: path, message: 'does not hold a key of 32 bytes: restore it from a backup' }]);
  }
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS_MAY_READ) !== 0) {
    throw new ConfigError([{ name: path, message: `may be read by others: run chmod 600 ${path}` }]);
  }
  return key;
}

/**
 * Written whole and to the disk under another name, then linked: a process that starts at the same moment finds no
 * half of it, and a power cut leaves no secrets sealed with a key that is gone.
 */
function createKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    const wasFirst = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!wasFirst) throw error;
  } finally {
    rmSync(draft);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
