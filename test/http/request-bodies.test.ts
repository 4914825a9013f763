import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Route, route } from '../../src/app/route.ts';
import { type CallOptions, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';
import { beginPost, openConnection } from '../helpers/raw-connection.ts';

/** Answered through Express, by the echo route. */
const ECHOED_WEBHOOK = '/webhooks/echo';
const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const DEEP = `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
describe.each(engines)('the bytes of a request, on %s', (engine) => {
  let app: TestApp;
  /** Answered on the fast path. */
  let plainWebhook: string;
  beforeAll(async () => {
    app = await createTestApp(engine, { routes: [echoRoute()] });
    const endpoint = await app.call('POST', '/api/webhook-endpoints', { body: { processor: 'stripe' } });
    plainWebhook = new URL(endpoint.body.url).pathname;
  });
  afterAll(() => app.close());

  const post = (body: unknown, options: CallOptions = {}) => app.call('POST', '/api/api-keys', { body, ...options });

  it.each([
    ['truncated JSON', '{"name": "Back'],
    ['no JSON', 'name=Backend'],
    ['a number too many braces', '{"name":"x"}}'],
    ['NUL bytes', '{"name":"x"}\0'],
    ['UTF-8 that is none', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
    ['an array at the root', '[{"name":"x"}]'],
    ['a string at the root', '"name"'],
    ['a number at the root', '7'],
    ['null at the root', 'null'],
    ['a single space', ' '],
    ['a name of NUL', '{"name":"a\\u0000b"}'],
    ['a lone surrogate', '{"name":"\\ud800"}'],
    ['30,000 levels of nesting', DEEP],
    ['a number beyond all numbers', '{"name":"x","rateLimitPerMinute":1e999}'],
    ['an own __proto__', '{"__proto__":{"name":"x"}}'],
  ])('400 for a body of %s', async (_, body) => {
    expectError(await post(body), 400, 'VALIDATION_ERROR');
  });

  it.each([
    ['no body at all', undefined, {}],
    ['a body of length 0', '', {}],
  ])('400 for %s', async (_, body, headers) => {
    const answer = await post(body, { headers });
    expectError(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.error.message).toBe('The body must be a JSON object');
  });

  it.each([
    ['no content type', {}],
    ['the content type of JSON', { 'Content-Type': 'application/json' }],
    ['an encoding', { 'Content-Encoding': 'gzip' }],
  ])('a body in chunks of which there are none is no body, with %s', async (_, headers) => {
    const chunked = { Host: 'x', Authorization: `Bearer ${app.apiKey}`, 'Transfer-Encoding': 'chunked', ...headers };
    const lines = Object.entries({ ...chunked, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
    const statusOf = async (path: string) => {
      const { socket, ended } = openConnection(app.url);
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n0\r\n\r\n`);
      return Number((await ended).split(' ')[1]);
    };
    // its members are all optional; it takes no body; it needs one
    const statuses = await Promise.all(['/api/payouts/run', '/api/links/lnk_1/archive', '/api/links'].map(statusOf));
    expect(statuses).toEqual([200, 404, 400]);
  });

  it('a compressed body of nothing is no body', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const path = '/api/payouts/run';
    expect((await app.call('POST', path, { body: gzipSync(''), headers })).status).toBe(200);
  });

  it('accepts a byte order mark, gzip, and a charset of utf-8', async () => {
    const json = Buffer.from('{"name":"Backend"}');
    const accepted = [
      await post(Buffer.concat([UTF8_BOM, json])),
      await post(gzipSync(json), { headers: { 'content-encoding': 'gzip' } }),
      await post(json, { headers: { 'content-type': 'Application/JSON; Charset="UTF-8"' } }),
    ];
    expect(accepted.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('413 for more than 64 KiB, compressed or not, but not for 64 KiB', async () => {
    const bytes = (count: number) => `{"name":"x"}${' '.repeat(count - 12)}`;
    expect((await post(bytes(64 * 1024))).status).toBe(201);
    expectError(await post(bytes(64 * 1024 + 1)), 413, 'PAYLOAD_TOO_LARGE');
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024, ' '));
    expectError(await post(bomb, { headers: { 'content-encoding': 'gzip' } }), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('400 for invalid gzip', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expectError(await post('{"name":"x"}', { headers }), 400, 'VALIDATION_ERROR');
    expectError(await post(gzipSync('{"name":"x"}').subarray(0, 20), { headers }), 400, 'VALIDATION_ERROR');
  });

  it.each([
    ['another content type', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a content type that begins like JSON', { 'content-type': 'application/jsonp' }],
    ['a merge patch where nothing is patched', { 'content-type': 'application/merge-patch+json' }],
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['a charset nobody has', { 'content-type': 'application/json; charset=x-nonsense' }],
    ['another encoding', { 'content-encoding': 'br' }],
    ['two encodings', { 'content-encoding': 'gzip, gzip' }],
  ])('415 for %s', async (_, headers) => {
    expectError(await post('{"name":"x"}', { headers }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('415 for a charset, which is quoted, and cut off if it is long', async () => {
    const messageFor = async (charset: string) => {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      return (await post('{"name":"x"}', { headers })).body.error.message;
    };
    expect(await messageFor('')).toBe('The charset of the body must be utf-8, not ""');
    expect((await messageFor('x'.repeat(10_000))).length).toBeLessThan(300);
  });

  it('a webhook gets its bytes unchanged, whatever their content type', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 0x7b]);
    for (const type of ['application/json', 'text/plain; charset=nonsense', 'application/octet-stream']) {
      const answer = await app.call('POST', ECHOED_WEBHOOK, {
        key: null,
        body: bytes,
        headers: { 'content-type': type },
      });
      expect(answer.body).toEqual({ hexadecimal: bytes.toString('hex') });
    }
  });

  it.each(['gzip', 'br', 'deflate', 'gzip, gzip'])('415 for a webhook in %s, on either path', async (encoding) => {
    for (const path of [plainWebhook, ECHOED_WEBHOOK]) {
      const headers = { 'content-encoding': encoding };
      const answer = await app.call('POST', path, { key: null, body: gzipSync(Buffer.alloc(2_000_000)), headers });
      expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
      expect(answer.body.error.message).toContain('send the bytes uncompressed');
    }
    const identity = { key: null, body: Buffer.from('x'), headers: { 'content-encoding': 'identity' } };
    expect((await app.call('POST', ECHOED_WEBHOOK, identity)).status).toBe(200);
  });

  it('413 for a webhook of more than 2 MiB, but not for 2 MiB', async () => {
    for (const [path, status] of Object.entries({ [plainWebhook]: 401, [ECHOED_WEBHOOK]: 200 })) {
      const send = (count: number) => app.call('POST', path, { body: Buffer.alloc(count, 'x') });
      expect((await send(2 * 1024 * 1024)).status).toBe(status);
      const tooLarge = await send(2 * 1024 * 1024 + 1);
      expectError(tooLarge, 413, 'PAYLOAD_TOO_LARGE');
      // a webhook cannot be sent in parts
      expect(tooLarge.body.error.message).toBe('The body is larger than 2048 KiB');
    }
  });

  it.each(['stripe/whe_1', 'nobody/whe_1', 'stripe//whe_1', 'stripe/whe%00'])(
    '404 for a webhook to %s, before its body',
    async (path) => {
      const { socket, received } = await beginPost(app.url, `/webhooks/${path}`, 2 * 1024 * 1024);
      await expect.poll(received).toContain('HTTP/1.1 404');
      socket.destroy();
    },
  );
});

function echoRoute(): Route {
  return route({
    operationId: 'echo',
    method: 'POST',
    path: ECHOED_WEBHOOK,
    credential: 'signature',
    tag: 'Test',
    summary: 'Echo',
    rawBody: true,
    unknownMembers: 'ignore',
    body: z.custom<Buffer>(),
    answer: z.object({ hexadecimal: z.string().nullable() }),
    run: async (_context, { body }) => ({ hexadecimal: body.length < 100 ? body.toString('hex') : null }),
  });
}
