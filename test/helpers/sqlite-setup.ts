import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/storage/open.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of a migrated database that nobody has open, for copying. */
    sqliteTemplate: string;
  }
}

/** One migrated SQLite file for the whole run: copying it takes a tenth of the time of migrating another. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'refbridge-template-'));
  const path = join(folder, 'refbridge.db');
  const database = await openDatabase(`file:${path}`);
  await database.close();
  project.provide('sqliteTemplate', path);
  return () => rm(folder, { recursive: true, force: true });
}
