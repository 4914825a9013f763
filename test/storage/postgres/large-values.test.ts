import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SqlValue } from '../../../src/storage/database.ts';
import { PipelinedClient } from '../../../src/storage/postgres/client.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';

const MEBIBYTE = 2 ** 20;
const COUNT = 12;
const TEXT = `SELECT $1::text AS text, $2::bigint AS number, $3::text AS missing, length($4::bytea) AS length,
  encode(sha256($4::bytea), 'hex') AS sum, encode($5::bytea, 'hex') AS small`;

let test: TestDatabase;
let client: PipelinedClient;
beforeAll(async () => {
  test = await createTestDatabase('postgres');
  client = new PipelinedClient({ connectionString: test.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await test.remove();
});

async function send(name: string | undefined, bytes: Buffer): Promise<Record<string, unknown>[]> {
  const values: SqlValue[] = ['d\u00e9j\u00e0 "vu"', -42, null, bytes, Buffer.from([0, 1, 255])];
  return (await client.send({ ...(name && { name }), text: TEXT, values })).rows;
}

const rowFor = (bytes: Buffer) => ({
  text: 'd\u00e9j\u00e0 "vu"',
  number: '-42',
  missing: null,
  length: String(bytes.length),
  sum: createHash('sha256').update(bytes).digest('hex'),
  small: '0001ff',
});

const asStored = (rows: Record<string, unknown>[]) =>
  rows.map((row) => ({ ...row, number: String(row.number), length: String(row.length) }));

it.each([undefined, 'named'])('values of any size arrive as they are, in one wave: statement %s', async (name) => {
  const sent = [0, 65_536, 65_537, 3 * MEBIBYTE, 10, 200_000].map((length) => Buffer.alloc(length, `${length} bytes`));
  // once before the statement is prepared, and once after
  for (let round = 0; round < 2; round += 1) {
    const answers = await Promise.all(sent.map((bytes) => send(name, bytes)));
    expect(answers.map(asStored)).toEqual(sent.map((bytes) => [rowFor(bytes)]));
  }
  expect(sent.map(({ length }) => length)).toEqual([0, 65_536, 65_537, 3 * MEBIBYTE, 10, 200_000]);
});

it('a large value is given back once it has been sent, and not when V8 comes to it', async () => {
  const bytes = Buffer.alloc(MEBIBYTE, 'x');
  await send('named', bytes);
  const before = process.memoryUsage().arrayBuffers;
  await Promise.all(Array.from({ length: COUNT }, () => send('named', bytes)));
  // pg's copies took two for each
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MEBIBYTE);
});
