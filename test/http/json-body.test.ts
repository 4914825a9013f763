import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
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
