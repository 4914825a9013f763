import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the modules of imports are loaded in parts, between which requests are answered', () => {
  const child = join(import.meta.dirname, 'children/load-run.ts');
  const { loaded, perTurn } = JSON.parse(execFileSync(process.execPath, [child], { encoding: 'utf8' }));
  expect(loaded).toBe('function');
  const total = perTurn.reduce((sum: number, count: number) => sum + count, 0);
  // fewer, if the server itself begins to load them
  expect(total).toBeGreaterThan(40);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(16);
});
