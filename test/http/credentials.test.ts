import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Route, route } from '../../src/app/route.ts';
import { routesByPath } from '../../src/http/route-order.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';

/** Every public route. A new route must be listed here on purpose, or require a credential. */
const PUBLIC = [
  'DELETE /api/embed/session',
  'GET /',
  'GET /:key',
  'GET /api/sign-in-methods',
  'GET /dashboard/single-sign-on',
  'GET /dashboard/single-sign-on/callback',
  'GET /docs',
  'GET /docs/api',
  'GET /docs/api/reference.css',
  'GET /docs/api/reference.js',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /openapi.json',
  'GET /portal/payout-onboarding',
  'GET /script.js',
  'POST /api/embed/session',
  'POST /api/session',
  'POST /api/track/click',
];

const routes: readonly Route[] = createRoutes();
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite', { routes: overlappingRoutes() });
});
afterAll(() => app.close());

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

describe('the declared routes', () => {
  it('are many, each with its own name and path', () => {
    expect(routes.map(({ path }) => path)).toContain('/api/api-keys/:id');
    expect(routes.length).toBeGreaterThan(45);
    expect(new Set(routes.map(nameOf)).size).toBe(routes.length);
    expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length);
  });

  it('are public only if they are on this list', () => {
    const open = routes.filter(({ credential }) => credential === 'public').map(nameOf);
    expect(open.sort()).toEqual(PUBLIC.toSorted());
  });

  it('with a key or token answer 401 without it, and for a made-up one', async () => {
    const guarded = routes.filter(({ credential }) => credential !== 'public' && credential !== 'signature');
    expect(guarded.length).toBeGreaterThan(45);
    for (const { method, path: pattern } of guarded) {
      const path = pattern.replaceAll(/:\w+/g, 'x');
      for (const headers of [{}, { authorization: 'Bearer made-up' }]) {
        const answer = await app.call(method, path, { key: null, headers });
        expect([answer.status, answer.body?.error?.code], `${method} ${path}`).toEqual([401, 'UNAUTHORIZED']);
        if (method === 'GET') expect(answer.headers.get('cache-control'), path).toContain('no-store');
      }
    }
  });
});

describe('routes whose paths overlap', () => {
  it('are refused when they differ only in the name of a parameter', () => {
    const [byId, byName] = overlappingRoutes();
    const renamed = [byId, { ...byName, path: '/api/overlap/:name' }] as Route[];
    expect(() => routesByPath(renamed)).toThrow('/api/overlap/:id are the same path');
  });

  it('require the credential whichever of them handles the request, and count it once', async () => {
    for (const [method, path] of [
      ['GET', '/api/overlap/x'],
      ['PATCH', '/api/overlap/x'],
      ['GET', '/api/overlap/fixed'],
    ] as const) {
      expect((await app.call(method, path, { key: null })).status, `${method} ${path}`).toBe(401);
      const body = method === 'PATCH' ? { body: {} } : {};
      expect((await app.call(method, path, body)).status, `${method} ${path}`).toBe(200);
    }
    expect((await app.call('GET', '/api/overlap/fixed')).body).toEqual({ by: 'fixed' });
    const first = await app.call('GET', '/api/overlap/fixed');
    const second = await app.call('GET', '/api/overlap/fixed');
    const left = (answer: typeof first) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    expect(left(first) - left(second)).toBe(1);
  });
});

function overlappingRoutes(): Route[] {
  const common = {
    credential: 'api-key',
    tag: 'Test',
    summary: 'Overlap',
    answer: z.object({ by: z.string() }),
  } as const;
  return [
    route({ ...common, operationId: 'byId', method: 'GET', path: '/api/overlap/:id', run: async () => ({ by: 'id' }) }),
    route({
      ...common,
      operationId: 'byName',
      method: 'PATCH',
      path: '/api/overlap/:id',
      patch: z.object({}),
      run: async () => ({ by: 'name' }),
    }),
    route({
      ...common,
      operationId: 'fixed',
      method: 'GET',
      path: '/api/overlap/fixed',
      run: async () => ({ by: 'fixed' }),
    }),
  ];
}
