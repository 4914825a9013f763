import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';
import { ROOT } from './source-modules.ts';

/**
 * Deleted together with node_modules. Not a dependency, because the packages are too large: two versions of Next.js
 * take 370 MB.
 */
const CACHE = join(ROOT, 'node_modules/.cache/refbridge-tests');
const TIMEOUT_MS = 240_000;

/**
 * A folder with these packages (`next@16.4.6`) under `node_modules`, installed once without their optional dependencies.
 * Skips the test when the registry cannot be reached, except in CI.
 */
export async function installOnce(context: TestContext, packages: readonly string[]): Promise<string> {
  const folder = join(CACHE, packages.join('+').replaceAll(/[^\w.@+-]/g, '_'));
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const building = await mkdtemp(join(CACHE, 'new-'));
  try {
    await writeFile(join(building, 'package.json'), '{ "private": true }\n');
    await npm(['install', '--omit=optional', '--ignore-scripts', ...packages], building);
    // another test process may have been faster
    await rename(building, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } catch (error) {
    if (process.env.CI || !/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENOTCACHED/.test(String(error))) throw error;
    context.skip(`not tested, because the registry does not answer: ${packages.join(', ')}`);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return folder;
}

/** Runs npm without prompts; returns its output. */
export async function npm(words: readonly string[], cwd: string): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { stdout } = await promisify(execFile)('npm', [...words, ...quiet], { cwd, timeout: TIMEOUT_MS });
  return stdout;
}

/** The executable of another major version of Node, from npm. */
export async function otherNode(context: TestContext, version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  return join(await installOnce(context, [`${name}@${version}`]), 'node_modules', name, 'bin/node');
}
