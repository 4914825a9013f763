import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** A file of the repository. */
export interface SourceFile {
  /** From the repository's root: `src/core/money.ts`. */
  path: string;
  text: string;
}

export interface Import {
  /** The importing file. */
  from: string;
  /** A path from the root (`src/core/money.ts`), `node:crypto`, or the name of a package (`zod`, `@polar-sh/sdk`). */
  to: string;
}

const STATIC_IMPORT = /^(?:import|export)\b(?:[^'"`;]*?\bfrom)? '([^']+)'/gm;
const DYNAMIC_IMPORT = /\bimport\('([^']+)'\)/g;

/** The files below these folders with one of these endings, by path. */
export function readSourceFiles(folders: readonly string[], endings: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Everything that a module imports: values and types, static and dynamic, in the order of the text. */
export function importsOf({ path, text }: SourceFile): Import[] {
  return [...text.matchAll(STATIC_IMPORT), ...text.matchAll(DYNAMIC_IMPORT)].map(([, name = '']) => ({
    from: path,
    to: targetOf(path, name),
  }));
}

function targetOf(path: string, name: string): string {
  return name.startsWith('.') ? relative('.', join(dirname(path), name)) : packageOf(name);
}

/** `@polar-sh/sdk/2026-10` → `@polar-sh/sdk`; Node's modules keep their full name. */
function packageOf(name: string): string {
  if (name.startsWith('node:')) return name;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

const RUNTIME_IMPORT = /^(?:import|export)\b(?! type\b)(?:[^'"`;]*?\bfrom)? '([^']+)'/gm;

/** What Node loads before it runs a module: its static imports and theirs, without those of types only. */
export function loadedBy(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, path), 'utf8');
  for (const [, name = ''] of text.matchAll(RUNTIME_IMPORT)) {
    const to = targetOf(path, name);
    if (loaded.has(to)) continue;
    loaded.add(to);
    if (/^(?:src|adapters)\//.test(to)) loadedBy(to, loaded);
  }
  return loaded;
}
