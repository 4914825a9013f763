import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, sqlitePathOf } from '../../../src/storage/open.ts';
import { createEmptyDatabase } from '../../helpers/databases.ts';

let empty: { url: string; remove(): Promise<void> };
let migrationsFolder: URL;
let folder: string;

beforeEach(async () => {
  empty = await createEmptyDatabase('sqlite');
  folder = await mkdtemp(join(tmpdir(), 'refbridge-migrations-'));
  migrationsFolder = pathToFileURL(`${folder}/`);
  await writeFile(join(folder, '0001_first.sql'), 'CREATE TABLE firsts (id TEXT PRIMARY KEY);');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await empty.remove();
});

/** The version after a migration that begins while another connection is in the transaction that `sql` begins. */
async function versionBeside(sql: string): Promise<number> {
  const other = new BetterSqlite3(sqlitePathOf(empty.url) ?? '');
  other.exec(sql);
  const opening = openDatabase(empty.url, { migrationsFolder });
  await sleep(100);
  // in time only if the opening does not hold up this thread
  other.exec('COMMIT');
  other.close();
  const database = await opening;
  await database.close();
  return database.schemaVersion;
}

describe('a migration of a SQLite file waits for its turn', () => {
  it('when another process has begun the new file', async () => {
    expect(await versionBeside('BEGIN; CREATE TABLE others (id TEXT)')).toBe(1);
  });

  it('when another process migrates', async () => {
    await (await openDatabase(empty.url, { migrationsFolder })).close();
    await writeFile(join(folder, '0002_second.sql'), 'ALTER TABLE firsts ADD COLUMN note TEXT;');
    expect(await versionBeside('BEGIN IMMEDIATE')).toBe(2);
  });
});
