import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readJsonBody } from '../../src/http/json-body.ts';

/** A request whose body has arrived. */
function posted(body: string): IncomingMessage {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return Object.assign(Readable.from([Buffer.from(body)]), { method: 'POST', headers }) as unknown as IncomingMessage;
}

it('leaves a turn to other requests between parsing a large body and the check of its values', async () => {
  const request = posted('{"results":[]}');
  let hadTurn = false;
  request.on('end', () => setImmediate(() => (hadTurn = true)));
  expect(await readJsonBody(request, true)).toEqual({ results: [] });
  expect(hadTurn).toBe(true);
});
