import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/storage/open.ts';
import { startPostgres } from './embedded-postgres.ts';
import { databaseUrl, executeOnServer } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the server's maintenance database; its user may create databases. */
    postgresUrl: string;
    /** The folder of the same server's socket; null for a server that was given by its URL. */
    postgresSocket: string | null;
    /** A migrated database without connections, to copy. */
    postgresTemplate: string;
  }
}

/**
 * Less work for hundreds of short databases, whose creations each make a checkpoint: only a power cut needs full pages, only
 * a standby the complete log, and no database lives long enough to need a vacuum.
 */
const SETTINGS = ['full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off'];

/**
 * One PostgreSQL for the whole run: the one at `TEST_DATABASE_URL`, otherwise one from npm on a free port. Without either,
 * the run fails; nothing is skipped.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? { url: given, socketFolder: null, stop: async () => {} } : await startPostgres(SETTINGS);
  const template = `refbridge_template_${process.pid}`;
  try {
    await createTemplate(server.url, template);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  project.provide('postgresSocket', server.socketFolder);
  project.provide('postgresTemplate', template);
  return async () => {
    await executeOnServer(server.url, `DROP DATABASE IF EXISTS ${template}`);
    await server.stop();
  };
}

async function createTemplate(url: string, template: string): Promise<void> {
  await executeOnServer(url, `DROP DATABASE IF EXISTS ${template}`);
  await executeOnServer(url, `CREATE DATABASE ${template}`);
  const database = await openDatabase(databaseUrl(url, template));
  await database.close();
}
