// Uses the installed @refbridge/client in Bun and Deno, whose programs are in npm packages for each platform.
import { execFile } from 'node:child_process';
import { chmodSync, cpSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SMOKE = new URL('../test/packages/children/load.mjs', import.meta.url);
const PLATFORM = `${process.platform}-${process.arch}`;
const DENO = process.platform === 'linux' ? `linux-${process.arch}-glibc` : PLATFORM;

/** The package, the path of the program in it, and the arguments before a script. */
const RUNTIMES = [
  { name: 'Bun', pack: `@oven/bun-${PLATFORM}`, program: 'bin/bun', words: [] },
  { name: 'Deno', pack: `@deno/${DENO}`, program: 'deno', words: ['run', '--allow-all', '--node-modules-dir=manual'] },
];

/**
 * Makes calls with the client in each runtime. A runtime that npm does not offer for this platform, or cannot download,
 * is reported as not tried.
 *
 * @param {string} backend the folder that the client is installed in
 * @param {(name: string, packages: string[]) => string} install installs packages into a new folder, and returns it
 */
export async function tryRuntimes(backend, install) {
  const script = join(backend, 'load.mjs');
  cpSync(SMOKE, script);
  const service = createServer(answer);
  await new Promise((resolve) => service.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = service.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    for (const { name, pack, program, words } of RUNTIMES) {
      const path = installed(name, pack, program, install);
      if (path === null) continue;
      await run(path, [...words, script, `http://127.0.0.1:${port}`], { cwd: backend });
      const version = (await run(path, ['--version'])).stdout.match(/\d+\.\d+\.\d+/)?.[0];
      process.stdout.write(`${name} ${version}: the client was used, as ES modules and as CommonJS\n`);
    }
  } finally {
    service.close();
    service.closeAllConnections();
  }
}

function installed(name, pack, program, install) {
  let folder;
  try {
    folder = install(name.toLowerCase(), [pack]);
  } catch (error) {
    process.stdout.write(`${name} was not tried: ${pack} cannot be installed (${String(error).split('\n')[0]})\n`);
    return null;
  }
  const path = join(folder, 'node_modules', pack, program);
  chmodSync(path, 0o755);
  return path;
}

/** What the smoke test expects of a service: two pages with one partner each, no further partner, and a lead. */
function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const send = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (pathname === '/api/track/lead') return send(200, { eventName: 'Sign up' });
  if (pathname !== '/api/partners') return send(404, { error: { code: 'NOT_FOUND', message: 'No partner' } });
  const isFirst = searchParams.get('cursor') === null;
  send(200, { data: [{ name: isFirst ? 'Anna' : 'Ben' }], nextCursor: isFirst ? 'next' : null });
}
