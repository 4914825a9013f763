import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rounds, someOf } from './rounds.ts';
import { ROOT } from './source-modules.ts';

describe('the number of rounds', () => {
  it('is the full one in CI', () => {
    expect(rounds(25, 'full')).toBe(25);
    expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^export TEST_ROUNDS=full$/m);
  });

  it('is a tenth of it elsewhere, and never zero', () => {
    expect([25, 10, 1].map((full) => rounds(full, ''))).toEqual([3, 1, 1]);
  });

  it('is refused for an unknown setting', () => {
    expect(() => rounds(25, 'ful')).toThrow('TEST_ROUNDS is "ful": set it to "full", or leave it out');
  });
});

describe('some of many', () => {
  const many = Array.from({ length: 50 }, (_, index) => index);

  it('are all of them in CI', () => {
    expect(someOf(many, 'full')).toEqual(many);
  });

  it('are a tenth elsewhere, in order, others each time, and never none', () => {
    const times = Array.from({ length: 200 }, () => someOf(many, ''));
    for (const some of times) {
      expect(some.length).toBe(5);
      expect(some.toSorted((a, b) => a - b)).toEqual(some);
    }
    expect([...new Set(times.flat())].sort((a, b) => a - b)).toEqual(many);
    expect(someOf(['only'], '')).toEqual(['only']);
  });
});
