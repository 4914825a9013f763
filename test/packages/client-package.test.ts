import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClient } from '../../.ci/client/build.mjs';
import { npm, otherNode } from '../helpers/install-once.ts';
import { someOf } from '../helpers/rounds.ts';
import { type LocalServer, serveFetch } from '../helpers/serve-fetch.ts';
import { ROOT } from '../helpers/source-modules.ts';

const run = promisify(execFile);
const LOAD = join(import.meta.dirname, 'children/load.mjs');
const INSTALLS_MS = 300_000;

let folder: string;
let built: string;
let tarball: string;
/** An empty folder with the tarball installed. */
let installed: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-client-'));
  built = join(folder, 'dist-client');
  installed = join(folder, 'shop');
  buildClient(built);
  tarball = join(folder, (await npm(['pack', '--pack-destination', folder], built)).trim());
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{ "private": true, "type": "module" }\n');
  await npm(['install', '--offline', tarball], installed);
  await cp(LOAD, join(installed, basename(LOAD)));
}, INSTALLS_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

const installedPath = (path = '') => join(installed, 'node_modules/@refbridge/client', path);

describe('the package @refbridge/client', () => {
  it('contains code, types and little else, and depends on nothing', async () => {
    const files = (await readdir(installedPath(), { recursive: true, withFileTypes: true })).filter((f) => f.isFile());
    const other = files.filter(({ name }) => !/\.(?:js|d\.ts)$/.test(name)).map(({ name }) => name);
    expect(other.sort()).toEqual(['LICENSE', 'README.md', 'package.json', 'package.json']);
    expect(await readdir(join(installed, 'node_modules'))).not.toContain('better-auth');
    const manifest = JSON.parse(await readFile(installedPath('package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependenciesMeta).toEqual({ 'better-auth': { optional: true } });
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(manifest.version).toBe(version);
  });

  it('needs nothing of Node, except for the queue in a file', async () => {
    const scripts = (await readdir(installedPath('esm'), { recursive: true })).filter((path) => path.endsWith('.js'));
    const outside = await Promise.all(
      scripts.map(async (path) => {
        const text = await readFile(installedPath(`esm/${path}`), 'utf8');
        return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^.'][^']*)'/g)].map(
          ([, name]) => `${basename(path)}: ${name}`,
        );
      }),
    );
    expect(outside.flat().sort()).toEqual(['file-queue.js: node:fs/promises', 'file-queue.js: node:path']);
    expect(scripts.length).toBeGreaterThan(20);
  });

  it('passes publint and Are The Types Wrong', async () => {
    const { messages } = await publint({ pkgDir: built, pack: 'npm', strict: true });
    expect(messages).toEqual([]);
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
    expect(checked.types).toMatchObject({ kind: 'included' });
    expect('problems' in checked ? checked.problems : null).toEqual([]);
  });

  const RESOLUTIONS = [
    ['nodenext', 'shop.mts'],
    ['nodenext', 'shop.cts'],
    ['bundler', 'shop.ts'],
  ] as const;
  it.each(someOf(RESOLUTIONS))(
    'has types for %s in %s, in strict mode and without those of Node',
    async (moduleResolution, file) => {
      const shop = join(folder, `types-${moduleResolution}-${file}`);
      await cp(installed, shop, { recursive: true });
      await writeFile(join(shop, file), SHOP);
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable'],
        types: [],
        module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
        moduleResolution,
      };
      await writeFile(join(shop, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      const compiled = await run(process.execPath, [compiler, '-p', shop]).catch((error: { stdout: string }) => error);
      expect(compiled.stdout).toBe('');
    },
  );
});

const SHOP = `
import { type Api, type CallOptions, createClient, NotFoundError } from '@refbridge/client';
import { honoClickCookie } from '@refbridge/client/middleware';
import { refbridge } from '@refbridge/client/better-auth';
const client = createClient({ baseUrl: 'https://refer.example.com', apiKey: 'rb_live_x' });
export async function sales(id: string, options: CallOptions): Promise<Api.Partner> {
  for await (const sale of client.sales.list({ partnerId: id }, options)) sale.amount satisfies number;
  // @ts-expect-error: there is no such member
  await client.partners.update(id, { nickname: 'Anna' });
  return client.partners.get(id).catch((error: unknown) => {
    if (error instanceof NotFoundError) error.code satisfies 'NOT_FOUND';
    throw error;
  });
}
export const plugin = refbridge({ client });
export const keepClick = honoClickCookie({ domain: 'example.com' });
`;

describe('the installed package', () => {
  let service: LocalServer;
  beforeAll(async () => {
    service = await serveFetch((request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/api/track/lead') return Response.json({ eventName: 'Sign up' });
      if (pathname !== '/api/partners') {
        return Response.json({ error: { code: 'NOT_FOUND', message: 'No partner' } }, { status: 404 });
      }
      const isFirst = new URL(request.url).searchParams.get('cursor') === null;
      return Response.json({ data: [{ name: isFirst ? 'Anna' : 'Ben' }], nextCursor: isFirst ? 'next' : null });
    });
  });
  afterAll(() => service.close());

  it.for(['20', '22', '24'])(
    'is loaded and used by Node %s, as ES modules and as CommonJS',
    { timeout: INSTALLS_MS },
    async (version, context) => {
      const node = version === '24' ? process.execPath : await otherNode(context, version);
      const { stdout } = await run(node, [join(installed, basename(LOAD)), service.url]);
      expect(stdout.split('.')[0]).toBe(version);
    },
  );
});
