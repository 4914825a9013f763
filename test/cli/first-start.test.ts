import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serverFlags } from '../../src/cli/node-flags.ts';
import { createEmptyDatabase } from '../helpers/databases.ts';
import { freePort } from '../helpers/free-port.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { followProcessorWaits } from '../helpers/processor-waits.ts';
import { TEST_SECRET_KEY } from '../helpers/secret-key.ts';
import { createWorkplace } from './run-cli.ts';

const port = await freePort();
const workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1' });
afterAll(() => workplace.remove());

const url = `http://127.0.0.1:${port}`;

describe('refbridge serve without configuration', () => {
  it('creates data/, the database and the key file, explains the next steps, and serves', async () => {
    const server = workplace.start('serve');
    await server.saw(/npm run refbridge -- setup/);
    expect(existsSync(join(workplace.folder, 'data/refbridge.db'))).toBe(true);
    expect(statSync(join(workplace.folder, 'data/secret.key')).mode & 0o777).toBe(0o600);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    // its own process, as `npm start` starts it
    const [, ...words] = readFileSync(`/proc/${server.process.pid}/cmdline`, 'utf8').split('\0');
    const flags = serverFlags('');
    expect(words.slice(0, flags.length)).toEqual(flags);
    expect(words).toContain('serve');
    const environment = readFileSync(`/proc/${server.process.pid}/environ`, 'utf8').split('\0');
    const malloc = environment.filter((variable) => variable.startsWith('MALLOC_'));
    expect(malloc.sort()).toEqual(['MALLOC_ARENA_MAX=2', 'MALLOC_MMAP_THRESHOLD_=131072']);

    const second = await workplace.spawn(['serve'], { environment: { PORT: String(await freePort()) } });
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toContain('Another server is running');

    const { apiKey } = await workplace.json('setup');
    const sales = await fetch(`${url}/api/sales`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(sales.status).toBe(200);
    expect(await server.stop('SIGINT')).toBe(0);
  });

  it('has the flags for PostgreSQL when `.env` names one', async () => {
    const { url: databaseUrl, remove } = await createEmptyDatabase('postgres');
    const file = join(workplace.folder, '.env');
    writeFileSync(file, `DATABASE_URL=${databaseUrl}\nSECRET_KEY=${TEST_SECRET_KEY.toString('hex')}\n`);
    const server = workplace.start('serve');
    await server.saw(/listening/);
    const words = readFileSync(`/proc/${server.process.pid}/cmdline`, 'utf8').split('\0');
    expect(words).toEqual(expect.arrayContaining([...serverFlags(databaseUrl), '--max-semi-space-size=8']));
    await server.stop();
    rmSync(file);
    await remove();
  });

  it('starts quickly on an existing database, without first-time advice', async (context) => {
    const ownMs = await startOwnTime();
    const server = workplace.start('serve');
    const waitedMs = followProcessorWaits(server.process.pid ?? 0);
    await server.saw(/listening/);
    const readyMs = Math.round(ownMs(waitedMs()));
    await context.annotate(`ready after ${readyMs} ms`);
    expect(readyMs).toBeLessThan(5_000);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    await expect(server.saw(/refbridge -- setup/)).rejects.toThrow('It ended before');
  });

  it('says of a damaged database that a backup must be restored, and how', async () => {
    writeFileSync(join(workplace.folder, 'damaged.db'), 'x'.repeat(10_000));
    const environment = { DATABASE_URL: 'file:./damaged.db' };
    for (const command of [['serve'], ['sales', 'list']]) {
      const { exitCode, stderr } = await workplace.spawn(command, { environment });
      expect(stderr).toMatch(/damaged\.db cannot be used: it is damaged.*restore a backup.*delete the -wal and -shm/s);
      expect(stderr).not.toMatch(/try again|report it|at new SqliteConnection/);
      expect(exitCode).toBe(1);
    }
  });

  it('reports that the host is not this machine, with exit code 4', async () => {
    // TEST-NET-1, which no machine has
    const { exitCode, stderr } = await workplace.spawn(['serve'], { environment: { HOST: '192.0.2.1' } });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('HOST 192.0.2.1 is no address of this machine')]);
  });

  it('reports that the port is in use, with exit code 4', async () => {
    const server = workplace.start('serve');
    await server.saw(/listening/);
    const elsewhere = { DATABASE_URL: 'file:./other/refbridge.db' };
    const { exitCode, stderr } = await workplace.spawn(['serve'], { environment: elsewhere });
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`PORT ${port} is in use`);
    expect(stderr).not.toContain('delivery thread');
    const demo = await workplace.spawn(['demo', '--once', '--port', String(port)]);
    expect([demo.exitCode, demo.stderr]).toEqual([4, expect.stringContaining(`Port ${port} cannot be used`)]);
    await server.stop('SIGINT');
  });
});
