// `npm run build`: writes the published JavaScript to dist/, together with the files that it reads at runtime.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { buildPages } from './build-pages.ts';
import { buildClient, pointAtJavaScript } from './client/build.mjs';

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
// the expected results of fixtures are for tests only
const isPublished = (path) => !path.endsWith('.expected.json');
for (const path of ['src/storage/migrations', 'src/web/reference', 'src/web/script', 'fixtures'])
  cpSync(path, `dist/${path}`, { recursive: true, filter: isPublished });
cpSync('src/cli/old-node.js', 'dist/src/cli/old-node.js');
// tsc copies what the program imports, but a second package.json with entry points would hide the package's own
const { name, version, description, type } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync('dist/package.json', `${JSON.stringify({ name, version, description, type, private: true }, null, 2)}\n`);
pointAtJavaScript('dist');
await buildPages();
buildClient();
