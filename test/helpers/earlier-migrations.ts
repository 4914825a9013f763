import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MIGRATIONS = new URL('../../src/storage/migrations/', import.meta.url);

/** A folder with the migrations before this one: the schema of an earlier release. */
export async function migrationsBefore(number: string): Promise<{ folder: URL; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'refbridge-migrations-'));
  const isEarlier = (source: string) => !source.endsWith('.sql') || basename(source) < number;
  await cp(MIGRATIONS, path, { recursive: true, filter: isEarlier });
  return { folder: pathToFileURL(`${path}/`), remove: () => rm(path, { recursive: true }) };
}
