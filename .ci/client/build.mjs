// `npm run build`: writes the package @refbridge/client to dist-client/, from the sources of refbridge/client, as ES modules
// and as CommonJS. It has no dependencies, so that a shop's backend does not install the service.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The entry points, and their modules. */
const ENTRIES = {
  '.': 'client/index',
  './file-queue': 'client/file-queue',
  './middleware': 'middleware/index',
  './better-auth': 'better-auth/index',
};

/** Builds the package into a folder, which is emptied first. */
export function buildClient(folder = join(ROOT, 'dist-client')) {
  const out = resolve(folder);
  rmSync(out, { recursive: true, force: true });
  compile('tsconfig.json', join(out, 'esm'));
  compile('tsconfig.cjs.json', join(out, 'cjs'));
  // otherwise Node would read these files as ES modules, like the rest of the package
  writeFileSync(join(out, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  pointAtJavaScript(out);
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(HERE, 'README.md'), join(out, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(out, 'LICENSE'));
}

function compile(config, outDir) {
  const { status, stdout } = spawnSync(process.execPath, [COMPILER, '-p', join(HERE, config), '--outDir', outDir], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The client could not be compiled:\n${stdout}`);
}

/** The compiler leaves `./client.ts` in the types, which only newer versions of TypeScript find beside `client.d.ts`. */
export function pointAtJavaScript(folder) {
  for (const path of readdirSync(folder, { recursive: true })) {
    if (!path.endsWith('.d.ts')) continue;
    const file = join(folder, path);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/((?:from|import)\s*\(?\s*['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
  }
}

function manifest() {
  const { version, license, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const exports = Object.entries(ENTRIES).map(([entry, module]) => [
    entry,
    { import: targets('esm', module), require: targets('cjs', module) },
  ]);
  return {
    name: '@refbridge/client',
    version,
    description: 'The client of Refbridge: report leads and sales, call every route of the API, keep the click',
    license,
    type: 'module',
    sideEffects: ['./*/middleware/fastify.js'],
    engines: { node: '>=20' },
    main: './cjs/client/index.js',
    types: './cjs/client/index.d.ts',
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
    // for TypeScript's `node10`, the default of CommonJS projects before version 6, which does not read `exports`
    typesVersions: {
      '*': Object.fromEntries(exports.slice(1).map(([entry, { require }]) => [entry.slice(2), [require.types]])),
    },
    files: ['esm', 'cjs'],
    peerDependencies,
    peerDependenciesMeta,
  };
}

function targets(format, module) {
  return { types: `./${format}/${module}.d.ts`, default: `./${format}/${module}.js` };
}

if (process.argv[1] === import.meta.filename) buildClient();
