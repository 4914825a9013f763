import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** The program, or null where it is missing. Debian installs it in /usr/sbin, which is not always in the path. */
export const PGBOUNCER = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (path) => spawnSync(path, ['--version']).status === 0,
);

export interface Pooler {
  /** The URL of a database, through PgBouncer. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode in front of a server, with few connections, so that sessions switch between them. */
export async function startPooler(serverUrl: string, settings: readonly string[] = []): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'refbridge-pooler-'));
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'max_client_conn = 300',
    'default_pool_size = 12',
    ...settings,
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  // it refuses to run as root
  const user = process.getuid?.() === 0 ? ['--user=nobody'] : [];
  const child = spawn(PGBOUNCER ?? '', [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('process up')) resolve();
    });
    child.once('exit', () => reject(new Error(`PgBouncer did not start: ${output}`)));
  });
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
