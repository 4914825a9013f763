import fc from 'fast-check';
import { expect, it } from 'vitest';
import { messageOf } from '../../src/errors.ts';
import { readCsv } from '../../src/exchange/csv-rows.ts';
import { rounds } from '../helpers/rounds.ts';

const PIECE_BYTES = 16 * 1024;

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

it.each([
  ['of a long text', 'x'.repeat(PIECE_BYTES - 1)],
  ['of a long quoted text', `"${'x""\n'.repeat(PIECE_BYTES / 4 - 1)}"`],
])('a row %s in many pieces takes about as long as many rows of a piece', async (_, cell) => {
  const cells = Array.from({ length: 50 }, () => cell);
  const timeOf = async (separator: string) => {
    const file = Buffer.from(cells.join(separator));
    const before = process.threadCpuUsage();
    const rows = await rowsOf(piecesOf(file, PIECE_BYTES));
    const { user, system } = process.threadCpuUsage(before);
    return { rowCount: rows.length, ms: (user + system) / 1_000 };
  };
  await timeOf('\n');
  const [many, one] = [await timeOf('\n'), await timeOf(',')];
  expect([many.rowCount, one.rowCount]).toEqual([50, 1]);
  expect(one.ms).toBeLessThan(5 * many.ms);
});
