// Runs the result of `npm run build` in an empty folder, as a user would: serve, setup beside it, demo, stop.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = resolve('dist/src/cli/index.js');
const folder = mkdtempSync(join(tmpdir(), 'refbridge-build-'));
const options = { cwd: folder, env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0' }, encoding: 'utf8' };

function run(...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], options);
  assert.equal(status, 0, `refbridge ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** The URL that the server logs when it listens. */
async function urlOf(server) {
  for await (const line of createInterface(server.stderr)) {
    if (line.includes('"listening"')) return JSON.parse(line).url;
  }
  throw new Error('The built server ended before it listened');
}

const published = JSON.parse(readFileSync('dist/package.json', 'utf8'));
assert.deepEqual(
  [published.version, published.exports],
  [JSON.parse(readFileSync('package.json', 'utf8')).version, undefined],
);
const unpublished = readdirSync('dist', { recursive: true }).filter((path) => path.endsWith('.expected.json'));
assert.deepEqual(unpublished, []);
// a container's user differs from the one that built the files
const isPrivate = (path) => (statSync(join('dist', path)).mode & 0o004) === 0;
assert.deepEqual(readdirSync('dist', { recursive: true }).filter(isPrivate), []);

const server = spawn(process.execPath, [PROGRAM, 'serve'], { ...options, stdio: ['ignore', 'inherit', 'pipe'] });
try {
  assert.match(run('--help'), /Usage: refbridge/);
  const url = await urlOf(server);
  const { status, checks } = await (await fetch(`${url}/health/ready`)).json();
  assert.deepEqual(
    { status, checks },
    { status: 'ok', checks: { database: 'ok', synchronous: 'FULL', migrations: 'ok', writes: 'ok' } },
  );
  for (const path of [
    '/script.js',
    '/openapi.json',
    '/docs/api',
    '/docs/api/reference.css',
    '/docs/api/reference.js',
    '/dashboard/',
  ]) {
    assert.equal((await fetch(url + path)).status, 200, path);
  }
  const none = spawnSync(process.execPath, [PROGRAM, 'sales', 'list'], { ...options, cwd: folder });
  assert.match(none.stderr, /run `refbridge setup` first/);
  const { apiKey } = JSON.parse(run('setup', '--json'));
  const headers = { authorization: `Bearer ${apiKey}` };
  assert.equal((await fetch(`${url}/api/programs`, { headers })).status, 200);
  assert.equal(JSON.parse(run('demo', '--once', '--json')).ok, true);

  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  process.stdout.write('served, set up, showed and stopped\n');
} finally {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
