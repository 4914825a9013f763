import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createFolder } from '../app/create-folder.ts';
import { ConfigError } from './config-error.ts';
import { parseSecretKey } from './secret-key-text.ts';

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
 * @throws ConfigError when others may read the file, it contains no key, or it is a link to nothing
 */
export function readKeyFile(databasePath: string): Buffer | null {
  const path = keyFileOf(databasePath);
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return null;
  if (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false }) === undefined) {
    const message = `is a link to ${readlinkSync(path)}, which does not exist: mount or restore that file`;
    throw new ConfigError([{ name: path, message }]);
  }
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
  createFolder(dirname(path), 0o700);
  // not the process id, which is the same at each start of a container: the draft of a killed process may be there
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!exists) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
