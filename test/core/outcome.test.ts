import { expect, it } from 'vitest';
import { strongestOutcome } from '../../src/core/outcome.ts';

it('a delivery has the strongest outcome of its facts, and is noted without any', () => {
  expect(strongestOutcome(['noted', 'unattributed', 'sale', 'duplicate'])).toBe('sale');
  expect(strongestOutcome(['ignored', 'reversal', 'noted'])).toBe('reversal');
  expect(strongestOutcome(['sale', 'failed'])).toBe('failed');
  expect(strongestOutcome([])).toBe('noted');
});
