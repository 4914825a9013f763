import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Route, route } from '../../src/app/route.ts';
import { DatabaseFailure } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';

describe.each(engines)('every error in JSON, on %s', (engine) => {
  let app: TestApp;
  const logged: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'info' }, { write: (line) => logged.push(JSON.parse(line)) });
    app = await createTestApp(engine, { log, routes: failingRoutes() });
  });
  afterAll(() => app.close());

  it.each(['/api', '/api/nothing', '/api/api-keys/a/b', '/webhooks/stripe', '/api/../etc/passwd'])(
    '404 for %s, for any caller',
    async (path) => {
      expectError(await app.call('GET', path), 404, 'NOT_FOUND');
      const answer = await app.call('GET', path, { key: null });
      expectError(answer, 404, 'NOT_FOUND');
      expect(answer.body.error.message).toMatch(/; \/docs\/api lists what there is$/);
    },
  );

  it.each([
    ['PUT', '/api/api-keys', 'POST, GET, HEAD'],
    ['PATCH', '/api/api-keys/key_1', 'DELETE'],
    ['GET', '/webhooks/stripe/whe_1', 'POST'],
    ['GET', '/api/track/click', 'POST, OPTIONS'],
    ['POST', '/api/embed/referrals/portal-config', 'GET, OPTIONS, HEAD'],
  ])('405 for %s %s, with the allowed methods', async (method, path, allow) => {
    const answer = await app.call(method, path);
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each([
    ['GET', '/api/links/%00'],
    ['GET', '/api/customers/a%00b'],
    ['DELETE', '/api/api-keys/%00'],
    ['POST', '/api/payouts/%00/paid'],
    ['POST', '/webhooks/stripe/%00'],
  ])('404 for a NUL in the path, on every database: %s %s', async (method, path) => {
    expectError(await app.call(method, path), 404, 'NOT_FOUND');
  });

  it.each([
    ['GET', '/api/nowhere'],
    ['GET', '/one/two'],
    ['PUT', '/api/api-keys'],
    ['POST', '/api/links'],
    ['GET', '/metrics'],
  ])('no cache keeps the error of %s %s', async (method, path) => {
    const { status, headers } = await app.call(method, path);
    expect([status >= 400, headers.get('cache-control')]).toEqual([true, 'no-store']);
  });

  it('OPTIONS lists the allowed methods and admits no browser', async () => {
    const answer = await app.call('OPTIONS', '/api/api-keys', {
      key: null,
      headers: { origin: 'https://example.com' },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('POST, GET, HEAD');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await app.call('OPTIONS', '/api/embed/referrals/portal-config', { key: null });
    expect([preflight.status, preflight.headers.get('allow')]).toEqual([204, 'GET, OPTIONS, HEAD']);
  });

  it.each(['/api/api-keys', '/api/nowhere'])(
    'answers %s with one line, whose length includes its line break',
    async (path) => {
      const { text, headers } = await app.call('GET', path);
      expect(text).toMatch(/^\{.*\}\n$/);
      expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(text));
    },
  );

  it('HEAD is answered like GET, without a body', async () => {
    const answer = await app.call('HEAD', '/api/api-keys');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it.each(['/api/api-keys/%ZZ', '/webhooks/stripe/%ff'])('400 for the malformed path %s', async (path) => {
    expectError(await app.call('DELETE', path), 400, 'VALIDATION_ERROR');
  });

  it('503 with Retry-After when the database fails, without details', async () => {
    const answer = await app.call('GET', '/api/failing/database');
    expectError(answer, 503, 'UNAVAILABLE');
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.text).not.toContain('SQLITE');
  });

  it('500 for a bug, with a request id that identifies its log entry, and nothing else', async () => {
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

  it('a refused request is one line in the log, without its key', async () => {
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

  it('carries the security headers and does not name the framework', async () => {
    for (const path of ['/api/nothing', '/api/api-keys', '/health/live']) {
      const { headers } = await app.call('GET', path);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    }
  });
});

function failingRoutes(): Route[] {
  const common = {
    method: 'GET',
    credential: 'public',
    tag: 'Test',
    summary: 'Fail',
    unknownMembers: 'ignore',
  } as const;
  const fail = (name: string, error: Error) =>
    route({
      ...common,
      operationId: name,
      path: `/api/failing/${name}`,
      answer: z.never(),
      run: async () => {
        throw error;
      },
    });
  return [fail('bug', new Error('of a bug')), fail('database', new DatabaseFailure('SQLITE_FULL', false, null))];
}
