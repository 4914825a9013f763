/** A thread that reads CSV rows of nearly a million characters, in the pieces in which an import reads its file. */
import { readCsv } from '../../../src/exchange/csv-rows.ts';

const ROWS = 20;
const PIECE_BYTES = 16 * 1024;

async function* file() {
  const row = Buffer.from(`id,"${'x'.repeat(990_000)}"\n`);
  for (let count = 0; count < ROWS; count++) {
    for (let start = 0; start < row.length; start += PIECE_BYTES) yield row.subarray(start, start + PIECE_BYTES);
  }
}

let rows = 0;
for await (const { cells } of readCsv(file())) rows += cells[1]?.length === 990_000 ? 1 : 0;
if (rows !== ROWS) throw new Error(`${rows} of ${ROWS} rows were read`);
