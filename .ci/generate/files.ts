import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { createRoutes } from '../../src/http/routes.ts';
import { fillApiPage } from './api-page.ts';
import { describeApi } from './document.ts';
import { formatSource } from './format.ts';
import { renderReference } from './reference/page.ts';
import { SENT_EVENTS } from './sent-events.ts';
import { methodsOf } from './types/methods.ts';
import { printErrors } from './types/print-errors.ts';
import { printFields } from './types/print-fields.ts';
import { printCalls, printMethods } from './types/print-methods.ts';
import { printPaths } from './types/print-paths.ts';
import { printRouteLists } from './types/print-route-lists.ts';
import { printTypes } from './types/print-types.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/api.md';
const TYPES = 'src/client/api-types.ts';
const PATHS = 'src/client/api-paths.ts';
const METHODS = 'src/client/api-methods.ts';
const CALLS = 'src/client/api-calls.ts';
const ERRORS = 'src/client/api-errors.ts';
const ROUTE_LISTS = 'src/cli/api/route-lists.ts';
const FIELDS = 'src/cli/fields/declared.ts';

/** Every generated file by its path, relative to the root of the repository. */
export async function generateFiles(): Promise<Map<string, string>> {
  const routes = createRoutes();
  const document = describeApi({ routes, events: SENT_EVENTS, version: packageJson.version });
  const methods = methodsOf(document, routes);
  return new Map([
    ['src/web/reference/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['src/web/reference/index.html', renderReference(document)],
    [TYPES, formatSource(TYPES, printTypes(document))],
    [PATHS, formatSource(PATHS, printPaths(document))],
    [METHODS, formatSource(METHODS, printMethods(methods))],
    [CALLS, formatSource(CALLS, printCalls(methods))],
    [ERRORS, formatSource(ERRORS, printErrors())],
    [FIELDS, formatSource(FIELDS, printFields(routes))],
    [ROUTE_LISTS, formatSource(ROUTE_LISTS, await printRouteLists(routes))],
    [PAGE, fillApiPage(readFileSync(join(ROOT, PAGE), 'utf8'), routes)],
  ]);
}
