import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeRow, encodeRow, encodeRowInPieces } from '../../src/exchange/json-lines.ts';

it('a row in pieces is the row as a whole, whatever its columns hold', () => {
  const bytes = fc.integer({ min: 0, max: 140_000 }).map((length) => Buffer.alloc(length, 'any bytes'));
  const value = fc.oneof(fc.string(), fc.maxSafeInteger(), fc.constant(null), bytes);
  const property = fc.property(fc.dictionary(fc.stringMatching(/^[a-z_"]+$/), value, { maxKeys: 5 }), (row) => {
    const whole = encodeRow(row);
    const decoded = decodeRow(whole);
    const pieces = [...encodeRowInPieces(row)];
    expect(pieces.join('')).toBe(whole);
    expect(decodeRow(pieces.join(''))).toEqual(decoded);
  });
  fc.assert(property);
});
