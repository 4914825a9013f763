import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADAPTERS, ALLOWED, LONG_FILES, ROOMS } from './helpers/rooms.ts';
import { type Import, importsOf, ROOT, readSourceFiles, type SourceFile } from './helpers/source-modules.ts';

/** Packages that belong to one room; an unlisted package may be used anywhere except in the core and the adapters. */
const PACKAGE_ROOMS: Record<string, readonly string[]> = {
  express: ['src/http'],
  'content-type': ['src/http'],
  'proxy-addr': ['src/http', 'src/process'],
  'better-sqlite3': ['src/storage/sqlite'],
  pg: ['src/storage/postgres', 'src/http/postgres-counter.ts'],
  commander: ['src/cli'],
  'prom-client': ['src/http/prometheus-metrics.ts', 'src/http/measured-metrics.ts'],
  stripe: ['adapters/stripe', 'src/rails/stripe'],
  '@shopify/shopify-api': ['adapters/shopify'],
  '@shopify/admin-api-client': ['adapters/shopify/backfill-client.ts'],
  '@paddle/paddle-node-sdk': ['adapters/paddle'],
  '@polar-sh/sdk': ['adapters/polar'],
};
/** The pages are built from these packages; the published package does not need them. */
const PAGE_PACKAGES = ['react', 'react-dom', 'wouter', '@tanstack/react-query', 'preact', 'preact/hooks', 'uqr'];
const PAGE_ROOMS = ['src/web/dashboard', 'src/web/parts', 'src/web/portal'];
/** Pure rules, and code that runs on customers' servers, edge runtimes and pages: no packages, and nothing from Node. */
const PLAIN_ROOMS = ['src/core', 'src/client', 'src/middleware', 'src/better-auth', 'src/web'];
const ADAPTER_NODE_MODULES = ['node:buffer', 'node:crypto', 'node:http'];

const LINES_MAX = 250;
const isIn = (path: string, places: readonly string[]) =>
  places.some((place) => path === place || path.startsWith(`${place}/`));

/** The most specific room of a file; null when it has none. */
function roomOf(path: string): string | null {
  const rooms = Object.keys(ROOMS).filter((room) => isIn(path, [room]));
  return rooms.sort((a, b) => b.length - a.length)[0] ?? null;
}

const isQuery = (path: string) => path.includes('/queries/');

const isOwn = (to: string) => /^(src|adapters|test)\//.test(to) || to === 'package.json';

function importProblems(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const arrow = `${from} → ${to}`;
    const room = roomOf(from);
    if (room === null) return [`${from} is in no room`];
    if (isOwn(to)) {
      const isItsRoom = isIn(to, [room, ...(ROOMS[room] ?? [])]);
      // a subject's SQL is private
      const allowed = isItsRoom && (!isQuery(to) || isIn(to, [room]));
      return allowed || ALLOWED.has(arrow) ? [] : [arrow];
    }
    return isPackageAllowed(room, from, to) || ALLOWED.has(arrow) ? [] : [arrow];
  });
}

function isPackageAllowed(room: string, from: string, to: string): boolean {
  if (PLAIN_ROOMS.includes(room)) return false;
  if (PAGE_ROOMS.includes(room)) return PAGE_PACKAGES.includes(to);
  if (PAGE_PACKAGES.includes(to)) return false;
  if (to.startsWith('node:')) return !ADAPTERS.includes(room) || ADAPTER_NODE_MODULES.includes(to);
  const anywhere = ADAPTERS.includes(room) && to !== 'zod' ? [] : ['src', 'adapters'];
  return isIn(from, PACKAGE_ROOMS[to] ?? anywhere);
}

/** Each import cycle once, including types and dynamic imports: `a → b → a`. */
function importCircles(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (module: string, path: readonly string[]) => {
    if (path.includes(module)) circles.push([...path.slice(path.indexOf(module)), module].join(' → '));
    else if (!finished.has(module)) for (const { to } of targets.get(module) ?? []) visit(to, [...path, module]);
    finished.add(module);
  };
  for (const module of targets.keys()) visit(module, []);
  return circles;
}

const SQL = /\b(?:SELECT\s+[\w*@]|INSERT INTO\b|DELETE FROM\b|CREATE TABLE\b|PRAGMA\b|UPDATE \w+ SET\b)/;

function sqlProblems(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !isIn(path, ['src/storage']) && !isQuery(path) && SQL.test(text))
    .map(({ path }) => path);
}

/** Rooms that receive everything from outside: no clock, no randomness, no environment, no network. */
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.|\bfetch\(|\bset(?:Timeout|Interval|Immediate)\(/;

function impurityProblems(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => isIn(path, ['src/core', 'adapters/contract', ...ADAPTERS]) && IMPURE.test(text))
    .map(({ path }) => path);
}

/** Claim keys are created in one place, so that the list is complete. */
function claimProblems(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => path !== 'src/app/claims.ts' && /\bas ClaimKey\b/.test(text))
    .map(({ path }) => path);
}

const EMPTY_NAMES = /^(?:utils?|common|shared|misc|managers?|helpers?)$/;

function nameProblems(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !path.startsWith('test/'))
    .filter(({ path }) => path.split('/').some((word) => EMPTY_NAMES.test(word.split('.')[0] ?? '')))
    .map(({ path }) => path);
}

function lengthProblems(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => !text.startsWith('// Generated by `npm run generate`'))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ path, lines }) => lines > LINES_MAX && !LONG_FILES.has(path))
    .map(({ path, lines }) => `${path}: ${lines} lines`);
}

const modules = readSourceFiles(['src', 'adapters'], ['.ts', '.tsx', '.js']);
const imports = modules.flatMap(importsOf);
const everything = [...modules, ...readSourceFiles(['src'], ['.sql']), ...readSourceFiles(['test', '.ci'], ['.ts'])];

describe('the modules', () => {
  it('were all found, and so were their imports', () => {
    expect(modules.length).toBeGreaterThan(240);
    expect(imports.length).toBeGreaterThan(900);
    const written = modules.flatMap(
      ({ text }) => text.match(/\bfrom '[^']+'(?: with .*)?;$|^import '|\bimport\('/gm) ?? [],
    );
    expect(imports.length).toBe(written.length);
  });

  it('import only files that exist', () => {
    const missing = imports.filter(({ to }) => isOwn(to) && !existsSync(join(ROOT, to)));
    expect(missing).toEqual([]);
  });

  it('import only what their room allows', () => {
    expect(importProblems(imports)).toEqual([]);
  });

  it('have no circular imports, not even of types', () => {
    expect(importCircles(imports)).toEqual([]);
  });

  it('use every exception on the list', () => {
    const arrows = new Set(imports.map(({ from, to }) => `${from} → ${to}`));
    expect([...ALLOWED.keys()].filter((arrow) => !arrows.has(arrow))).toEqual([]);
  });

  it('keep SQL in the storage room and in queries/', () => {
    expect(sqlProblems(modules)).toEqual([]);
  });

  it('use no clock, randomness, environment or network in the core and the adapters', () => {
    expect(impurityProblems(modules)).toEqual([]);
  });

  it('create claim keys only in the list of claims', () => {
    expect(claimProblems(modules)).toEqual([]);
  });

  it('are named after what they contain', () => {
    expect(nameProblems(everything)).toEqual([]);
  });

  it('can be read in one sitting', () => {
    expect(lengthProblems(everything)).toEqual([]);
    const long = everything.filter(({ path }) => LONG_FILES.has(path));
    expect(long.filter(({ text }) => text.split('\n').length <= LINES_MAX).map(({ path }) => path)).toEqual([]);
  });
});

const problemsOf = (path: string, text: string) => importProblems(importsOf({ path, text }));

describe('the import rule detects', () => {
  it.each([
    ['src/core/money.ts', "import { z } from 'zod';", 'zod'],
    ['src/core/money.ts', "import { createHash } from 'node:crypto';", 'node:crypto'],
    ['src/core/ledger.ts', "import type { Row } from '../ledger/queries/entries.ts';", 'src/ledger/queries/entries.ts'],
    ['adapters/contract/readers.ts', "import { notFound } from '../../src/errors.ts';", 'src/errors.ts'],
    ['adapters/paddle/verify.ts', "import { sign } from '../stripe/sign.ts';", 'adapters/stripe/sign.ts'],
    ['adapters/paddle/verify.ts', "const sdk = await import('@polar-sh/sdk/webhooks');", '@polar-sh/sdk'],
    ['adapters/polar/verify.ts', "import { readFileSync } from 'node:fs';", 'node:fs'],
    ['adapters/polar/verify.ts', "import { systemClock } from '../../src/clock.ts';", 'src/clock.ts'],
    ['adapters/polar/verify.ts', "import pg from 'pg';", 'pg'],
    ['src/storage/open.ts', "import { trackSale } from '../payments/sale.ts';", 'src/payments/sale.ts'],
    ['src/payments/sale.ts', "import type { Request } from 'express';", 'express'],
    ['src/payments/sale.ts', "import { adapters } from '../../adapters/index.ts';", 'adapters/index.ts'],
    [
      'src/http/sale-routes.ts',
      "import {\n  insertSale,\n} from '../payments/queries/sales.ts';",
      'src/payments/queries/sales.ts',
    ],
    ['src/links/links.ts', "import { sell } from '../payments/sell.ts';", 'src/payments/sell.ts'],
    [
      'src/deliveries/store.ts',
      "import { insertSale } from '../payments/queries/sales.ts';",
      'src/payments/queries/sales.ts',
    ],
    ['src/app/page.ts', "import { createLink } from '../links/links.ts';", 'src/links/links.ts'],
    ['src/http/app.ts', "export { adapters } from '../../adapters/index.ts';", 'adapters/index.ts'],
    ['src/cli/commands/sales.ts', "import Database from 'better-sqlite3';", 'better-sqlite3'],
    ['src/cli/commands/sales.ts', "import { createApp } from '../../http/app.ts';", 'src/http/app.ts'],
    ['src/client/client.ts', "import { createId } from '../ids.ts';", 'src/ids.ts'],
    ['src/client/queue.ts', "import { readFile } from 'node:fs/promises';", 'node:fs/promises'],
  ])('%s with %s', (path, text, to) => {
    expect(problemsOf(path, text)).toEqual([`${path} → ${to}`]);
  });

  it('a file without a room', () => {
    expect(problemsOf('src/new/door.ts', "import 'node:fs';")).toEqual(['src/new/door.ts is in no room']);
  });

  it('nothing in what is allowed', () => {
    const text = "import type { Facts } from '../../src/core/facts.ts';\nconst { webhooks } = await import('stripe');";
    expect(problemsOf('adapters/stripe/verify.ts', text)).toEqual([]);
  });
});

describe('the other rules detect', () => {
  it.each([
    ['SQL', sqlProblems, 'src/payments/sale.ts', 'const sql = `SELECT id FROM sales`;'],
    ['the clock', impurityProblems, 'src/core/ledger.ts', 'const now = Date.now();'],
    ['the environment', impurityProblems, 'adapters/stripe/verify.ts', 'const key = process.env.KEY;'],
    ['a claim', claimProblems, 'src/links/links.ts', 'await tx.claim(() => ["link 1" as ClaimKey]);'],
    ['an empty name', nameProblems, 'src/http/utils.ts', ''],
    ['an empty folder name', nameProblems, 'src/shared/money.ts', ''],
  ] as const)('on %s', (_what, problems, path, text) => {
    expect(problems([{ path, text }])).toEqual([path]);
  });

  it('circular imports', () => {
    const imports = ['a b', 'b c', 'c b', 'c d'].map((arrow) => arrow.split(' ')) as [string, string][];
    expect(importCircles(imports.map(([from, to]) => ({ from, to })))).toEqual(['b → c → b']);
  });

  it('a file that is too long', () => {
    const file = { path: 'src/core/money.ts', text: 'a\n'.repeat(LINES_MAX + 1) };
    expect(lengthProblems([file])).toEqual(['src/core/money.ts: 251 lines']);
  });
});
