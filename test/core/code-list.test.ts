import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODES_IN_FILES, CODES_IN_FORMS, joinCodes, splitCodes } from '../../src/core/code-list.ts';

describe('discount codes in one text', () => {
  it('are read back as they were written, whatever is in them', () => {
    const unit = fc.constantFrom(...'aB1 ,;|"\u00a0é%');
    const code = fc
      .string({ unit, maxLength: 8 })
      .map((text) => text.trim())
      .filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(code), fc.constantFrom(CODES_IN_FILES, CODES_IN_FORMS), (codes, style) => {
        expect(splitCodes(joinCodes(codes, style), style)).toEqual(codes);
      }),
    );
  });

  it.each([
    [CODES_IN_FILES, 'ANA10;ANA20 | "SUMMER SALE",', ['ANA10', 'ANA20', 'SUMMER SALE']],
    [CODES_IN_FILES, 'A"B "C', ['A"B', '"C']],
    [CODES_IN_FORMS, ' ANA10, SUMMER SALE,, "SPRING, 20" ', ['ANA10', 'SUMMER SALE', 'SPRING, 20']],
  ])('of people: %j %s', (style, text, codes) => {
    expect(splitCodes(text, style)).toEqual(codes);
  });
});
