import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './source-modules.ts';

const CHILD = fileURLToPath(new URL('modules-per-turn-child.ts', import.meta.url));

/**
 * How many modules a server loads in each turn of the event loop, without those that load none, until this function has
 * settled: the `name`d export of a file, or its `member`.
 */
export function modulesPerTurn(path: string, name: string, member?: string): number[] {
  const called = [join(ROOT, path), name, ...(member === undefined ? [] : [member])];
  return JSON.parse(execFileSync(process.execPath, [CHILD, ...called], { encoding: 'utf8' }));
}
