import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from './source-modules.ts';

/** Creates a CommonJS package of these files until the test has finished; returns its folder. */
export function createPackage(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries({ ...files, 'package.json': '{}' })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The CommonJS files of packages that loading the processor's adapter loads. */
export function requiredBy(processor: string): string[] {
  const program = `
    import { createRequire } from 'node:module';
    await import('${ROOT}/adapters/${processor}/index.ts');
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  const files: string[] = JSON.parse(printed);
  return files.filter((path) => path.includes(`/${processor}`) || path.includes(`@${processor}`));
}
