import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { databaseUrl, throughSocket } from './postgres-server.ts';

export type Engine = Database['engine'];

/** Every suite that touches the database runs on each: `describe.each(engines)`. */
export const engines: readonly Engine[] = ['sqlite', 'postgres'];

export interface TestDatabase {
  database: Database;
  /** The URL, to open the database again as another process would. */
  url: string;
  /** Closes `database` and deletes everything. */
  remove(): Promise<void>;
}

/** The URL of a new database without a schema. */
export async function createEmptyDatabase(engine: Engine): Promise<{ url: string; remove(): Promise<void> }> {
  return engine === 'sqlite' ? createSqliteFile() : createPostgresDatabase('template0');
}

/** A new, migrated, empty database: a file in a temporary folder, or a database on the run's PostgreSQL server. */
export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  const { url, remove } =
    engine === 'sqlite' ? await copySqliteTemplate() : await createPostgresDatabase(inject('postgresTemplate'));
  const database = await openDatabase(engine === 'sqlite' ? url : throughSocket(url, inject('postgresSocket')));
  return {
    database,
    url,
    async remove() {
      await database.close();
      await remove();
    },
  };
}

async function createSqliteFile() {
  const folder = await mkdtemp(join(tmpdir(), 'refbridge-'));
  const path = join(folder, 'refbridge.db');
  return { path, url: `file:${path}`, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function copySqliteTemplate() {
  const file = await createSqliteFile();
  await copyFile(inject('sqliteTemplate'), file.path);
  return file;
}

async function createPostgresDatabase(template: string) {
  const server = inject('postgresUrl');
  const name = `refbridge_test_${randomBytes(8).toString('hex')}`;
  await maintain(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return {
    url: databaseUrl(server, name),
    async remove() {
      await maintain(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

let maintenance: Promise<pg.Client> | undefined;

/** Runs one statement on this worker's connection to the maintenance database: each new connection costs the server a process. */
async function maintain(sql: string): Promise<void> {
  maintenance ??= connectMaintenance();
  await (await maintenance).query(sql);
}

async function connectMaintenance(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: throughSocket(inject('postgresUrl'), inject('postgresSocket')) });
  // it ends with the server
  client.on('error', () => {});
  await client.connect();
  return client;
}
