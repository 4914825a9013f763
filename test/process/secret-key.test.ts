import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/process/config.ts';
import { createKeyFile, readKeyFile } from '../../src/process/secret-key.ts';

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
});
