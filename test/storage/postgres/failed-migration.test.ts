import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeFailure } from '../../../src/cli/terminal/failure.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createEmptyDatabase } from '../../helpers/databases.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

const FULL_DISK = `CREATE FUNCTION fill_disk() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'could not extend file "base/1": No space left on device';
END $$`;

describe('a migration that PostgreSQL cannot finish', () => {
  let empty: { url: string; remove(): Promise<void> };
  let folder: string;
  const open = () => openDatabase(empty.url, { migrationsFolder: pathToFileURL(`${folder}/`) });
  const migration = (name: string, sql: string) => writeFile(join(folder, name), `-- cost: none\n${sql}`);
  beforeEach(async () => {
    empty = await createEmptyDatabase('postgres');
    folder = await mkdtemp(join(tmpdir(), 'refbridge-migrations-'));
    await migration('0001_first.sql', 'CREATE TABLE firsts (id TEXT PRIMARY KEY);');
    await (await open()).close();
  });
  afterEach(async () => {
    await empty.remove();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['its disk is full', 'fill_disk()', /^The database is out of space.* "base\/1": No space left on device/],
    ['it is stopped', 'pg_terminate_backend(pg_backend_pid())', /^The database is shutting down/],
  ])('because %s is explained, and runs when there is nothing in its way', async (_, failing, explained) => {
    await executeOnServer(empty.url, FULL_DISK);
    await migration('0002_second.sql', `ALTER TABLE firsts ADD COLUMN note TEXT;\nSELECT ${failing};`);
    const { text, exitCode } = describeFailure(await open().catch((error: unknown) => error));
    expect([text, exitCode]).toEqual([expect.stringMatching(explained), 3]);
    expect(text).toContain('has changed nothing: start again');
    await migration('0002_second.sql', 'ALTER TABLE firsts ADD COLUMN note TEXT;');
    const database = await open();
    expect(database.schemaVersion).toBe(2);
    await database.close();
  });
});
