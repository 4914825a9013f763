// Packs what `npm run build` wrote, installs both tarballs into empty folders as a user would, imports every entry
// point, and starts the program, with this Node and with others that npm offers. It also tries the client in Bun and
// Deno.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { publint } from 'publint';
import { tryRuntimes } from './try-runtimes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'refbridge-packages-'));
const NODE = `node-${process.platform}-${process.arch}`;

function run(command, words, { cwd = folder, env = process.env } = {}) {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

const npm = (words, cwd) => run('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], { cwd });

/** Packs a folder without building again; returns the tarball and its files. */
function pack(from) {
  const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], from));
  return { tarball: join(folder, packed.filename), paths: packed.files.map(({ path }) => path), size: packed.size };
}

/** An empty folder with the packages installed. */
function install(name, packages) {
  const to = join(folder, name);
  mkdirSync(to);
  writeFileSync(join(to, 'package.json'), '{ "private": true, "type": "module" }\n');
  npm(['install', ...packages], to);
  return to;
}

/** Imports each entry point of an installed package. */
function importAll(name, cwd, node) {
  const manifest = JSON.parse(readFileSync(join(cwd, 'node_modules', name, 'package.json'), 'utf8'));
  const entries = Object.entries(manifest.exports).filter(([entry]) => entry !== './package.json');
  for (const [entry, { types, default: file }] of entries.map(([key, to]) => [key, to.import ?? to])) {
    for (const path of [types, file]) readFileSync(join(cwd, 'node_modules', name, path));
    // a browser script, which stops at once where there is no window
    if (entry === './script') continue;
    const count = run(
      node,
      ['-p', `import('${join(name, entry)}').then((all) => console.log(Object.keys(all).length))`],
      { cwd },
    );
    assert.match(count, /^[1-9]\d*$/m, `${name} ${entry} exports something`);
  }
  return entries.length;
}

/** Runs `npx refbridge serve` with this Node at the front of the path, until it listens. */
async function serve(cwd, node) {
  const env = { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: folder, HOST: '127.0.0.1', PORT: '0' };
  assert.match(run('npx', ['--no-install', 'refbridge', '--help'], { cwd, env }), /Usage: npx refbridge/);
  // not below npx, which does not forward SIGTERM
  const server = spawn(node, ['node_modules/.bin/refbridge', 'serve'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    for await (const line of createInterface(server.stderr)) {
      if (!line.includes('"listening"')) continue;
      const response = await fetch(`${JSON.parse(line).url}/health/ready`);
      assert.equal(response.status, 200);
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      return;
    }
    throw new Error(`The program ended before it listened, with ${node}`);
  } finally {
    server.kill('SIGKILL');
  }
}

try {
  const service = pack('.');
  const client = pack('dist-client');
  // the expected results of fixtures are for tests only
  assert.deepEqual(
    service.paths.filter((path) => /\.expected\.json$|^(?:src|test|examples)\//.test(path)),
    [],
  );
  assert.ok(service.paths.some((path) => path.startsWith('dist/fixtures/')));
  for (const { tarball } of [service, client]) {
    const { buffer, byteOffset, byteLength } = readFileSync(tarball);
    const packed = buffer.slice(byteOffset, byteOffset + byteLength);
    assert.deepEqual((await publint({ strict: true, pack: { tarball: packed } })).messages, []);
  }

  const [old, oldest, newest] = ['20', '22', '26'].map((major) =>
    join(install(`node-${major}`, [`${NODE}@${major}`]), 'node_modules', NODE, 'bin/node'),
  );
  const shop = install('shop', [service.tarball]);
  const backend = install('backend', [client.tarball]);
  for (const node of [oldest, process.execPath, newest]) {
    const counts = [importAll('refbridge', shop, node), importAll('@refbridge/client', backend, node)];
    rmSync(join(shop, 'data'), { recursive: true, force: true });
    await serve(shop, node);
    process.stdout.write(
      `${run(node, ['--version']).trim()}: ${counts.join(' and ')} entry points, and the service started\n`,
    );
  }
  importAll('@refbridge/client', backend, old);
  await tryRuntimes(backend, install);
  const refused = spawnSync(old, ['node_modules/.bin/refbridge', 'serve'], { cwd: shop, encoding: 'utf8' });
  assert.equal(refused.status, 4);
  assert.match(refused.stderr, /^Refbridge needs Node 22\.12 or later, but .* is Node 20\.\S+ .*\n$/);
  process.stdout.write(`Node 20 gets a sentence; the tarballs have ${service.size} and ${client.size} bytes\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
