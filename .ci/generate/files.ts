import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { createRoutes } from '../../src/http/routes.ts';
import { describeApi } from './document.ts';
import { formatSource } from './format.ts';
import { fillReadme } from './readme.ts';
import { renderReference } from './reference/page.ts';
import { printPaths } from './types/print-paths.ts';
import { printTypes } from './types/print-types.ts';

const ROOT = join(import.meta.dirname, '../..');
const TYPES = 'src/client/api-types.ts';
const PATHS = 'src/client/api-paths.ts';

/** Every generated file by its path, relative to the root of the repository. */
export function generateFiles(): Map<string, string> {
  const routes = createRoutes();
  const document = describeApi({ routes, version: packageJson.version });
  return new Map([
    ['src/web/reference/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['src/web/reference/index.html', renderReference(document)],
    [TYPES, formatSource(TYPES, printTypes(document))],
    [PATHS, formatSource(PATHS, printPaths(document))],
    ['README.md', fillReadme(readFileSync(join(ROOT, 'README.md'), 'utf8'), routes)],
  ]);
}
