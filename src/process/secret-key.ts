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

/** The path of the key file beside a SQLite database. */
export function keyFileOf(databasePath: string): string {
  return join(dirname(databasePath), FILE_NAME);
}

/**
 * The key in the file beside a SQLite database; null when there is no file.
 *
 * @throws ConfigError when others may read the file, or it contains no key
 */
export function readKeyFile(databasePath: string): Buffer | null {
  const path = keyFileOf(databasePath);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
  const key = parseSecretKey(readFileSync(path, 'utf8').trim());
  if (key === null) {
    throw new ConfigError([{ name: path, message: 'does not contain a 32-byte key: restore it from a backup' }]);
  }
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS_MAY_READ) !== 0) {
    throw new ConfigError([{ name: path, message: `can be read by others: run chmod 600 ${path}` }]);
  }
  return key;
}

/**
 * Creates the key file beside a SQLite database, readable only by its owner, and returns the key; if another process
 * created the file at the same moment, that process's key. Call it only when the database holds no sealed secret.
 */
export function createKeyFile(databasePath: string): Buffer {
  writeKeyFile(keyFileOf(databasePath));
  return readKeyFile(databasePath) ?? createKeyFile(databasePath);
}

/**
 * Writes and syncs the file under another name, then links it: a process that starts at the same moment never reads half
 * a key, and a power cut never loses a key that has sealed secrets.
 */
function writeKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!exists) throw error;
  } finally {
    rmSync(draft);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
