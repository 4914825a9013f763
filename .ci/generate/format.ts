import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Formats a source file like `npm run format`.
 *
 * @throws Error if the text cannot be parsed
 */
export function formatSource(path: string, text: string): string {
  const biome = join(dirname(createRequire(import.meta.url).resolve('@biomejs/biome/package.json')), 'bin', 'biome');
  const run = spawnSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    cwd: ROOT,
    input: text,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`${path} cannot be formatted: ${run.stderr}`);
  return run.stdout;
}
