import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { JSON_BYTES_MAX, readJsonBody } from '../../src/http/json-body.ts';
import { turnsOf } from '../helpers/turns-of.ts';

/** A request whose body has arrived. */
function posted(body: string): IncomingMessage {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return Object.assign(Readable.from([Buffer.from(body)]), { method: 'POST', headers }) as unknown as IncomingMessage;
}

it('refuses a large body that would take long to parse, unless it is small enough all the same', async () => {
  const listOf = (levels: number) => `{"results":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const message = 'The body has more than 100 levels of nesting';
  const refusal = { code: 'VALIDATION_ERROR', message, details: [{ path: '', message }] };
  await expect(readJsonBody(posted(listOf(40_000)), true)).rejects.toMatchObject(refusal);
  const { results } = (await readJsonBody(posted(listOf(1_000)), true)) as { results: unknown };
  expect(results).toBeInstanceOf(Array);
});

const levels = (count: number) => `{"list":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`;
const members = (count: number) => `{"list":{${Array.from({ length: count }, (_, nth) => `"${nth}":0`).join(',')}}}`;
const values = (count: number) => `{"list":[${Array.from({ length: count - 2 }, () => 0).join(',')}]}`;

describe.each([
  ['takes small ones only', false],
  ['takes large ones', true],
])('a small body of a route that %s', (_, isLarge) => {
  it.each([
    ['more than 2000 levels of nesting', levels(2_000), levels(2_001)],
    ['more than 2000 levels of nesting', levels(2_000), '['.repeat(2_001)],
    ['an object with more than 2000 members', members(2_000), members(2_001)],
    ['more than 6000 values', values(6_000), values(6_001)],
  ])('is refused if it has %s', async (excess, enough, tooMuch) => {
    expect(await readJsonBody(posted(enough), isLarge)).toEqual(JSON.parse(enough));
    const message = `The body has ${excess}`;
    const refusal = { code: 'VALIDATION_ERROR', message, details: [{ path: '', message }] };
    await expect(readJsonBody(posted(tooMuch), isLarge)).rejects.toMatchObject(refusal);
  });
});

it('leaves a turn to other requests before a large body is parsed', async () => {
  const request = posted(`{"results":[${'0,'.repeat(JSON_BYTES_MAX)}0]}`);
  let turns = 0;
  request.on('end', () => setImmediate(() => setImmediate(() => (turns = 2))));
  await readJsonBody(request, true);
  expect(turns).toBe(2);
});

it('leaves a turn to other requests between parsing a large body and the check of its values', async () => {
  const request = posted('{"results":[]}');
  let hadTurn = false;
  request.on('end', () => setImmediate(() => (hadTurn = true)));
  expect(await readJsonBody(request, true)).toEqual({ results: [] });
  expect(hadTurn).toBe(true);
});

it('leaves turns to other requests while a large body is parsed', async () => {
  const names = (nth: number) => Array.from({ length: 900 }, (_, key) => `"name ${nth}.${key}":${key}`).join(',');
  const json = `{"results":[${Array.from({ length: 60 }, (_, nth) => `{${names(nth)}}`).join(',')}]}`;
  const request = posted(json);
  const turns = await turnsOf(async () => {
    expect(await readJsonBody(request, true)).toEqual(JSON.parse(json));
  });
  expect(turns).toBeGreaterThanOrEqual(json.length / JSON_BYTES_MAX / 2);
});
