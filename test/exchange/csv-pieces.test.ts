import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { messageOf } from '../../src/errors.ts';
import { CsvRowParser } from '../../src/exchange/csv-row-parser.ts';
import { readCsv } from '../../src/exchange/csv-rows.ts';
import { rounds } from '../helpers/rounds.ts';

/** The rows of a file that arrives in pieces, and why it was refused, if it was. */
async function rowsOf(pieces: Iterable<Uint8Array>): Promise<unknown[]> {
  const rows: unknown[] = [];
  async function* file() {
    yield* pieces;
  }
  try {
    for await (const row of readCsv(file())) rows.push(row);
  } catch (error) {
    rows.push(messageOf(error));
  }
  return rows;
}

function* piecesOf(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

it('any CSV file in pieces has the rows of the whole file', async () => {
  const part = fc.constantFrom('a', 'b ', ' ', '"', '"', '""', ',', ';', '\t', '\n', '\r', '\r\n', 'sep=;', '\0', 'é');
  const property = fc.asyncProperty(
    fc.array(part, { maxLength: 30 }),
    fc.integer({ min: 1, max: 5 }),
    async (parts, length) => {
      const bytes = Buffer.from(parts.join(''));
      expect(await rowsOf(piecesOf(bytes, length))).toEqual(await rowsOf([bytes]));
    },
  );
  await fc.assert(property, { numRuns: rounds(3_000) });
});

/** A text that tells when one of its characters is looked at. */
function watched(text: string, onLook: () => void): string {
  const proxy = new Proxy(Object(text), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) onLook();
      const member = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return proxy as string;
}

it.each([
  ['a long text', 'x'.repeat(50_000)],
  ['a long quoted text', `"${'x""\n'.repeat(12_500)}"`],
  ['many cells', 'x,'.repeat(25_000)],
])('a row of %s that arrives in many pieces has each of its characters looked at a few times only', (_, row) => {
  let looks = 0;
  const parser = new CsvRowParser(',');
  for (let start = 0; start < row.length; start += 500) {
    expect(parser.parse(watched(row.slice(start, start + 500), () => looks++))).toBeNull();
  }
  expect(parser.parse(watched('\n', () => looks++))).toMatchObject({ end: 0 });
  expect(looks).toBeLessThan(4 * row.length);
});

/** It takes 16. A cell of pieces that each keep the row so far takes more than 32. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 24 };

it('rows of nearly a million characters are read in a few times their size', async () => {
  const reader = new Worker(new URL('children/read-long-rows.ts', import.meta.url), { resourceLimits: HEAP_LIMITS });
  // rejects with the error that ends the thread
  expect(await once(reader, 'exit')).toEqual([0]);
});

it.each([
  ['headings', Array.from({ length: 100_000 }, (_, nth) => `heading ${nth}`).join(',')],
  ['headings after a line that states the separator', `sep=;\n${'a;'.repeat(100_000)}`],
  ['empty headings', ','.repeat(100_000)],
])('a file with 100,000 %s is refused in its first piece', async (_, text) => {
  let pieces = 0;
  function* file() {
    for (const piece of piecesOf(Buffer.from(`${text}\n`), 16_384)) {
      pieces += 1;
      yield piece;
    }
  }
  expect(await rowsOf(file())).toEqual([expect.stringContaining('has more than a thousand headings')]);
  expect(pieces).toBe(1);
});

it('a file may have a thousand headings, and longer rows', async () => {
  const [headings, row] = [1_000, 1_001].map((length) => Array.from({ length }, (_, nth) => `${nth}`));
  const text = `${headings?.join(',')}\n${row?.join(',')}\n`;
  expect(await rowsOf([Buffer.from(text)])).toEqual([
    { line: 1, cells: headings, separator: ',' },
    { line: 2, cells: row, separator: ',' },
  ]);
});
