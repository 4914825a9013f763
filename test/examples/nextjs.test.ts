import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildClient } from '../../.ci/client/build.mjs';
import { installOnce } from '../helpers/install-once.ts';
import { ROOT } from '../helpers/source-modules.ts';

const INSTALLS_MS = 300_000;
const COOKIE = 'svc_id=clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D; Max-Age=7776000; Path=/; SameSite=Lax';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-next-'));
  buildClient(join(folder, 'client'));
}, INSTALLS_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

// not in package.json, because both together take 370 MB; without the compilers that real apps need
it.for(['15.5.29', '16.4.6'])(
  'the example with Next.js keeps the click, and no cache stores the answer: %s',
  { timeout: INSTALLS_MS },
  async (version, context) => {
    const next = await installOnce(context, [`next@${version}`, 'react@19', 'react-dom@19']);
    const app = join(folder, version);
    await mkdir(join(app, 'node_modules/refbridge'), { recursive: true });
    await symlink(join(next, 'node_modules/next'), join(app, 'node_modules/next'));
    await useClientAs(join(app, 'node_modules/refbridge'));
    await cp(join(ROOT, 'examples/nextjs/proxy.ts'), join(app, 'proxy.ts'));
    await cp(join(import.meta.dirname, 'children/next-proxy.mjs'), join(app, 'run.mjs'));
    await writeFile(join(app, 'package.json'), '{ "type": "module" }\n');
    const env = { ...process.env, SHOP_DOMAIN: 'example.com' };
    const { stdout } = await promisify(execFile)(process.execPath, [join(app, 'run.mjs')], { env });
    const cacheControl = 'private, no-store';
    expect(JSON.parse(stdout)).toEqual({
      version,
      answers: [
        { isNext: true, cookies: [`${COOKIE}; Domain=example.com; Secure`], cacheControl },
        { isNext: true, cookies: [COOKIE], cacheControl },
        { isNext: true, cookies: [], cacheControl: null },
      ],
    });
  },
);

/** `refbridge/middleware` is the same code as `@refbridge/client/middleware`. */
async function useClientAs(target: string): Promise<void> {
  await cp(join(folder, 'client'), target, { recursive: true });
}
