// Completes package-lock.json after `npm install` against a registry mirror that lacks packages of other platforms. npm
// omits those from the lock file, which `npm ci` then refuses. Run this by hand after adding a package.
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
let added = 0;

for (const [path, entry] of Object.entries({ ...lock.packages })) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const folders = [`${path}/node_modules/${name}`, `node_modules/${name}`];
    if (folders.some((folder) => lock.packages[folder])) continue;
    const words = name.replace('linuxmusl', 'linux-musl').split(/[/-]/);
    const os = name.includes('windows') ? 'win32' : SYSTEMS.find((system) => words.includes(system));
    const cpu = PROCESSORS.find((processor) => words.includes(processor));
    if (!os && cpu !== 'wasm32') {
      process.stderr.write(`left out because its name contains no platform: ${name} (of ${path})\n`);
      continue;
    }
    const version = range.replace(/^[\^~]/, '');
    lock.packages[`node_modules/${name}`] = {
      version,
      resolved: `https://registry.npmjs.org/${name}/-/${name.split('/').pop()}-${version}.tgz`,
      cpu: [cpu ?? (words.includes('armv6') || words.includes('eabi') ? 'arm' : 'x64')],
      dev: entry.dev,
      ...(name.includes('musl') ? { libc: ['musl'] } : {}),
      optional: true,
      ...(os ? { os: [os] } : {}),
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} entries added\n`);
