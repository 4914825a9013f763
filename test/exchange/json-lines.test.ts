import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeRow, encodeRow, encodeRowInPieces } from '../../src/exchange/json-lines.ts';
import type { StoredRow } from '../../src/exchange/queries/walk.ts';

it('a row in pieces is the row as a whole, whatever its columns hold', () => {
  const bytes = fc.integer({ min: 0, max: 140_000 }).map((length) => Buffer.alloc(length, 'any bytes'));
  const value = fc.oneof(fc.string(), fc.maxSafeInteger(), fc.constant(null), bytes);
  const property = fc.property(fc.dictionary(fc.stringMatching(/^[a-z_"]+$/), value, { maxKeys: 5 }), (row) => {
    const whole = encodeRow(row);
    const decoded = decodeRow(whole);
    const pieces = [...encodeRowInPieces(withItsOwnBytes(row))];
    expect(pieces.join('')).toBe(whole);
    expect(decodeRow(pieces.join(''))).toEqual(decoded);
  });
  fc.assert(property);
});

it('a column that objects inherit is a column like others', () => {
  const line = '{"id":"one","__proto__":{"base64":"AQI="}}\n';
  const row = decodeRow(line);
  expect(Object.keys(row)).toEqual(['id', '__proto__']);
  expect(encodeRow(row)).toBe(line);
});

/** `encodeRowInPieces` frees its bytes, and fast-check runs smaller failing rows with the bytes of the first. */
function withItsOwnBytes(row: StoredRow): StoredRow {
  const columns = Object.entries(row).map(([column, value]) => [
    column,
    Buffer.isBuffer(value) ? Buffer.from(value) : value,
  ]);
  return Object.fromEntries(columns) as StoredRow;
}
