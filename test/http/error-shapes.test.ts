import { gzipSync } from 'node:zlib';
import { Router } from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseFailure } from '../../src/storage/database.ts';
import { type Answer, type CallOptions, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

/** The one shape of every error (specification 7). */
function expectError(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.error?.code]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(answer.body)).toEqual(['error']);
  const members = code === 'VALIDATION_ERROR' ? ['code', 'message', 'details'] : ['code', 'message'];
  expect(Object.keys(answer.body.error)).toEqual(members);
  expect(answer.body.error.message.length).toBeGreaterThan(5);
}

/** Answered before Express, by the service: there is no such endpoint. */
const PLAIN_WEBHOOK = '/webhooks/stripe/whe_1';
/** With a query it is not plain, and comes to the group that echoes. */
const ECHOED_WEBHOOK = `${PLAIN_WEBHOOK}?echo`;
const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const DEEP = `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;

describe.each(engines)('every error in JSON, on %s', (engine) => {
  let app: TestApp;
  const logged: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'info' }, { write: (line) => logged.push(JSON.parse(line)) });
    app = await createTestApp(engine, {
      log,
      groups: () => [
        { path: '/api/failing', credential: 'public', router: failingRoutes() },
        { path: '/webhooks', credential: 'signature', router: echoRoutes() },
      ],
    });
  });
  afterAll(() => app.close());

  const post = (body: unknown, options: CallOptions = {}) => app.call('POST', '/api/api-keys', { body, ...options });

  it.each(['/api', '/api/nothing', '/api/api-keys/a/b', '/webhooks/stripe', '/api/../etc/passwd'])(
    '404 for %s, whoever asks',
    async (path) => {
      expectError(await app.call('GET', path), 404, 'NOT_FOUND');
      expectError(await app.call('GET', path, { key: null }), 404, 'NOT_FOUND');
    },
  );

  it.each([
    ['PUT', '/api/api-keys', 'POST, GET, HEAD'],
    ['PATCH', '/api/api-keys/key_1', 'DELETE'],
    ['GET', '/webhooks/stripe/whe_1', 'POST'],
  ])('405 for %s %s, with what is allowed', async (method, path, allow) => {
    const answer = await app.call(method, path);
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('OPTIONS tells what is allowed and lets no browser in', async () => {
    const answer = await app.call('OPTIONS', '/api/api-keys', {
      key: null,
      headers: { origin: 'https://example.com' },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('POST, GET, HEAD');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('HEAD is answered like GET, without a body', async () => {
    const answer = await app.call('HEAD', '/api/api-keys');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it.each(['/api/api-keys/%ZZ', '/webhooks/stripe/%ff'])('400 for the malformed path %s', async (path) => {
    expectError(await app.call('DELETE', path), 400, 'VALIDATION_ERROR');
  });

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

  it('takes a byte order mark, gzip, and a charset of utf-8 as what they are', async () => {
    const json = Buffer.from('{"name":"Backend"}');
    const accepted = [
      await post(Buffer.concat([UTF8_BOM, json])),
      await post(gzipSync(json), { headers: { 'content-encoding': 'gzip' } }),
      await post(json, { headers: { 'content-type': 'Application/JSON; Charset="UTF-8"' } }),
    ];
    expect(accepted.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('413 for more than 64 KiB, sent or unzipped, and not for 64 KiB', async () => {
    const bytes = (count: number) => `{"name":"x"}${' '.repeat(count - 12)}`;
    expect((await post(bytes(64 * 1024))).status).toBe(201);
    expectError(await post(bytes(64 * 1024 + 1)), 413, 'PAYLOAD_TOO_LARGE');
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024, ' '));
    expectError(await post(bomb, { headers: { 'content-encoding': 'gzip' } }), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('400 for what its encoding calls gzip and is none', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expectError(await post('{"name":"x"}', { headers }), 400, 'VALIDATION_ERROR');
    expectError(await post(gzipSync('{"name":"x"}').subarray(0, 20), { headers }), 400, 'VALIDATION_ERROR');
  });

  it.each([
    ['another content type', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a content type that begins like JSON', { 'content-type': 'application/jsonp' }],
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['a charset nobody has', { 'content-type': 'application/json; charset=x-nonsense' }],
    ['another encoding', { 'content-encoding': 'br' }],
    ['two encodings', { 'content-encoding': 'gzip, gzip' }],
  ])('415 for %s', async (_, headers) => {
    expectError(await post('{"name":"x"}', { headers }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('a webhook gets its bytes untouched, whatever they call themselves', async () => {
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

  it('413 for a webhook of more than 2 MiB, and not for 2 MiB', async () => {
    for (const [path, status] of Object.entries({ [PLAIN_WEBHOOK]: 404, [ECHOED_WEBHOOK]: 200 })) {
      const send = (count: number) => app.call('POST', path, { body: Buffer.alloc(count, 'x') });
      expect((await send(2 * 1024 * 1024)).status).toBe(status);
      expectError(await send(2 * 1024 * 1024 + 1), 413, 'PAYLOAD_TOO_LARGE');
    }
  });

  it('503 with Retry-After when the database fails, without a word of why', async () => {
    const answer = await app.call('GET', '/api/failing/database');
    expectError(answer, 503, 'UNAVAILABLE');
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.text).not.toContain('SQLITE');
  });

  it('500 for a bug, with a request id that finds it in the log and nothing else', async () => {
    logged.length = 0;
    const answer = await app.call('GET', '/api/failing/bug?token=secret-in-query');
    expectError(answer, 500, 'INTERNAL_ERROR');
    expect(answer.text).not.toContain('of a bug');
    const requestId = answer.headers.get('x-request-id');
    expect(answer.body.error.message).toContain(requestId);
    expect(logged).toEqual([
      expect.objectContaining({
        requestId,
        path: '/api/failing/bug',
        err: expect.objectContaining({ message: 'of a bug' }),
      }),
    ]);
    expect(JSON.stringify(logged)).not.toContain('secret-in-query');
  });

  it('a refusal is one line in the log, without the key that was sent', async () => {
    logged.length = 0;
    await app.call('DELETE', '/api/api-keys/key_unknown');
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      method: 'DELETE',
      path: '/api/api-keys/key_unknown',
    });
    expect(JSON.stringify(logged)).not.toContain(app.apiKey);
  });

  it('carries the security headers and no name of the framework', async () => {
    for (const path of ['/api/nothing', '/api/api-keys', '/health/live']) {
      const { headers } = await app.call('GET', path);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    }
  });
});

function failingRoutes(): Router {
  const router = Router();
  router.get('/bug', async () => {
    throw new Error('of a bug');
  });
  router.get('/database', async () => {
    throw new DatabaseFailure('SQLITE_FULL', false, null);
  });
  return router;
}

function echoRoutes(): Router {
  const router = Router();
  router.post('/:processor/:endpointId', (request, response) => {
    const body: unknown = request.body;
    response.json({ hexadecimal: Buffer.isBuffer(body) && body.length < 100 ? body.toString('hex') : null });
  });
  return router;
}
