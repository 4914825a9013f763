import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rounds } from './rounds.ts';
import { ROOT } from './source-modules.ts';

describe('the number of rounds', () => {
  it('is the full one in CI', () => {
    expect(rounds(25, 'full')).toBe(25);
    expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^export TEST_ROUNDS=full$/m);
  });

  it('is a fifth of it elsewhere, and never zero', () => {
    expect([25, 10, 1].map((full) => rounds(full, ''))).toEqual([5, 2, 1]);
  });

  it('is refused for an unknown setting', () => {
    expect(() => rounds(25, 'ful')).toThrow('TEST_ROUNDS is "ful": set it to "full", or leave it out');
  });
});
