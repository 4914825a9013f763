import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../src/process/config-error.ts';
import { createKeyFile, readKeyFile } from '../../src/process/secret-key.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs')>();
  const writeFileSync: typeof original.writeFileSync = (path, data, options) => {
    original.writeFileSync(path, disk.isFull ? '' : data, options);
    if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  return { ...original, writeFileSync };
});

describe('the key file beside a SQLite database', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'refbridge-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is created readable only by its owner, in a folder that may not exist yet', () => {
    const key = createKeyFile(join(folder, 'data/refbridge.db'));
    expect(key).toHaveLength(32);
    expect(statSync(join(folder, 'data/secret.key')).mode & 0o777).toBe(0o600);
  });

  it('is the same on every later start', () => {
    const database = join(folder, 'refbridge.db');
    expect(readKeyFile(database)).toBeNull();
    const key = createKeyFile(database);
    expect(readKeyFile(database)).toEqual(key);
    expect(createKeyFile(database)).toEqual(key);
  });

  it('differs from service to service', () => {
    expect(createKeyFile(join(folder, 'a/x.db'))).not.toEqual(createKeyFile(join(folder, 'b/x.db')));
  });

  it('is refused when others may read it, with the command that fixes it', () => {
    createKeyFile(join(folder, 'refbridge.db'));
    chmodSync(join(folder, 'secret.key'), 0o644);
    expect(() => readKeyFile(join(folder, 'refbridge.db'))).toThrow(/chmod 600/);
  });

  it('is never replaced when it is damaged, because a backup may restore it', () => {
    writeFileSync(join(folder, 'secret.key'), 'damaged', { mode: 0o600 });
    expect(() => readKeyFile(join(folder, 'refbridge.db'))).toThrow(ConfigError);
    expect(readFileSync(join(folder, 'secret.key'), 'utf8')).toBe('damaged');
  });

  it('is created although a process with the same id was killed while it wrote one, as happens in a container', () => {
    writeFileSync(join(folder, `secret.key.${process.pid}`), '');
    expect(createKeyFile(join(folder, 'refbridge.db'))).toHaveLength(32);
  });

  it('leaves nothing behind on a full disk, and is created once there is space', () => {
    disk.isFull = true;
    expect(() => createKeyFile(join(folder, 'refbridge.db'))).toThrow('ENOSPC');
    disk.isFull = false;
    expect(readdirSync(folder)).toEqual([]);
    expect(createKeyFile(join(folder, 'refbridge.db'))).toHaveLength(32);
    expect(readdirSync(folder)).toEqual(['secret.key']);
  });

  it('is refused while it is a link to a file that does not exist, such as a secret that is not mounted yet', () => {
    const key = createKeyFile(join(folder, 'vault/refbridge.db'));
    symlinkSync(join(folder, 'mounted/secret.key'), join(folder, 'secret.key'));
    for (const open of [readKeyFile, createKeyFile]) {
      expect(() => open(join(folder, 'refbridge.db'))).toThrow(ConfigError);
      expect(() => open(join(folder, 'refbridge.db'))).toThrow(
        /secret\.key is a link to .*mounted\/secret\.key, which/,
      );
    }
    symlinkSync(join(folder, 'vault'), join(folder, 'mounted'));
    expect(readKeyFile(join(folder, 'refbridge.db'))).toEqual(key);
  });
});
