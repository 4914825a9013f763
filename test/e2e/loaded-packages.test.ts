import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkplace, type Running } from '../cli/run-cli.ts';
import { freePort } from '../helpers/free-port.ts';
import { ROOT, readSourceFiles } from '../helpers/source-modules.ts';

/** The packages that the adapters import to check signatures, and to read back what did not arrive; RevenueCat has none. */
const OFFICIAL_PACKAGES = [
  'stripe',
  '@shopify/shopify-api',
  '@shopify/admin-api-client',
  '@paddle/paddle-node-sdk',
  '@polar-sh/sdk',
];

const ENVIRONMENT = {
  OIDC_ISSUER: 'https://accounts.example.com',
  OIDC_CLIENT_ID: 'refbridge',
  OIDC_CLIENT_SECRET: 'secret',
  PORT: String(await freePort()),
  HOST: '127.0.0.1',
  NODE_OPTIONS: `--import ${resolve(import.meta.dirname, 'children/note-packages.ts')}`,
};
const workplace = createWorkplace(ENVIRONMENT);
const measured = createWorkplace({ ...ENVIRONMENT, METRICS: 'public' });
const withoutServer = createWorkplace(ENVIRONMENT);
afterAll(() => Promise.all([workplace, measured, withoutServer].map((each) => each.remove())));

/** All packages that a process has loaded so far. */
function packagesOf({ process: { pid } }: Running, { folder } = workplace): string[] {
  const loaded = readFileSync(join(folder, `packages-of-${pid}`), 'utf8').split('\n');
  expect(loaded).toContain('better-sqlite3');
  return loaded;
}

function officialPackagesOf(server: Running): string[] {
  const loaded = packagesOf(server);
  return OFFICIAL_PACKAGES.filter((name) => loaded.includes(name));
}

describe('the thread that stores deliveries', () => {
  it('validates no input, so it does not load zod, which takes 7 MB on every thread', () => {
    const modules = ['deliveries/store.ts', 'storage/sqlite/database.ts'].map(
      (path) => `import '${ROOT}/src/${path}';`,
    );
    const { stdout } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', `${modules.join('')}console.log(process.pid)`],
      { cwd: workplace.folder, env: { ...process.env, ...ENVIRONMENT }, encoding: 'utf8' },
    );
    const loaded = readFileSync(join(workplace.folder, `packages-of-${stdout.trim()}`), 'utf8').split('\n');
    expect(loaded).toContain('better-sqlite3');
    expect(loaded).not.toContain('zod');
  });
});

describe('a command on the local database', () => {
  it('does not load the web server', async () => {
    await withoutServer.json('setup');
    let pid = 0;
    const { exitCode } = await withoutServer.spawn(['sales', 'list'], {
      onStart(started) {
        pid = started;
      },
    });
    expect(exitCode).toBe(0);
    const loaded = readFileSync(join(withoutServer.folder, `packages-of-${pid}`), 'utf8').split('\n');
    expect(loaded).toContain('better-sqlite3');
    for (const ofServer of ['express', 'helmet', 'rate-limiter-flexible', 'mime-db'])
      expect(loaded).not.toContain(ofServer);
  });
});

describe('a starting server', () => {
  it("does not load Node's fetch, which takes 4 MB", () => {
    const program = `import '${ROOT}/src/main.ts'; console.log(process.moduleLoadList.join('\\n'))`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    const loaded = stdout.split('\n');
    expect(loaded).toContain('NativeModule _http_server');
    expect(loaded.filter((name) => name.includes('undici'))).toEqual([]);
  });

  it("loads no processor's package without an endpoint, and nothing for zips, metrics or single sign-on", async () => {
    const server = workplace.start('serve');
    await server.saw(/listening/);
    expect(officialPackagesOf(server)).toEqual([]);
    const loaded = packagesOf(server);
    for (const later of ['openid-client', 'yazl', 'prom-client']) expect(loaded).not.toContain(later);
    await server.stop('SIGINT');
  });

  it('formats nothing with Intl, whose data takes 9 MB', () => {
    const server = readSourceFiles(['src', 'adapters'], ['.ts']).filter(
      ({ path }) => !/^src\/(cli|client|middleware|web)\//.test(path),
    );
    expect(server.length).toBeGreaterThan(500);
    const users = server.filter(({ text }) => /\bIntl\.|\blocaleCompare\(|\btoLocale\w*\(/.test(text));
    expect(users.map(({ path }) => path)).toEqual([]);
  });

  it('loads the Prometheus package when METRICS is on', async () => {
    const server = measured.start('serve');
    await server.saw(/listening/);
    expect(packagesOf(server, measured)).toContain('prom-client');
    await server.stop('SIGINT');
  });

  describe('with an endpoint', () => {
    beforeAll(async () => {
      await workplace.json('setup');
    });

    it('loads the package of an endpoint that another process creates, before its first delivery', async () => {
      const server = workplace.start('serve');
      await server.saw(/listening/);
      const { id } = await workplace.json('endpoints', 'create', '--processor', 'polar');
      await expect.poll(() => officialPackagesOf(server)).toContain('@polar-sh/sdk');
      await server.stop('SIGINT');
      await workplace.json('endpoints', 'delete', id);
    });

    it.each([
      ['revenuecat', []],
      ['stripe', ['stripe']],
      ['paddle', ['stripe', '@paddle/paddle-node-sdk']],
    ])('of %s also loads %j before it listens', async (processor, packages) => {
      await workplace.json('endpoints', 'create', '--processor', processor);
      const server = workplace.start('serve');
      await server.saw(/listening/);
      expect(officialPackagesOf(server)).toEqual(packages);
      await server.stop('SIGINT');
    });
  });
});
