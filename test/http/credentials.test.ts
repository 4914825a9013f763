import { Router } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS_OFF } from '../../src/http/metrics.ts';
import { type Route, type RouteGroup, routeGroups, routesOf } from '../../src/http/routes.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';

/** Every route that anybody may call. A new one is written down here on purpose, or is behind a credential. */
const PUBLIC = [
  'GET /:key',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /script.js',
  'OPTIONS /api/track/click',
  'POST /api/track/click',
];

let app: TestApp;
let routes: Route[];
beforeAll(async () => {
  app = await createTestApp('sqlite', { groups: () => [overlappingGroup()] });
  routes = routeGroups(app.service, { lifecycle: app.lifecycle, metrics: METRICS_OFF }).flatMap(routesOf);
});
afterAll(() => app.close());

const callsOf = ({ pattern, methods }: Route) =>
  methods
    .filter((method) => method !== 'OPTIONS')
    .map((method) => ({ method, path: pattern.replaceAll(/:\w+/g, 'x') }));

describe('the registered routes', () => {
  it('are found by the walk', () => {
    expect(routes.map(({ pattern }) => pattern)).toContain('/api/api-keys/:id');
    expect(routes.length).toBeGreaterThan(3);
  });

  it('are public only where the list says so', () => {
    const open = routes
      .filter(({ credential }) => credential === 'public')
      .flatMap(({ pattern, methods }) => methods.map((method) => `${method} ${pattern}`));
    expect(open.sort()).toEqual(PUBLIC.toSorted());
  });

  it('behind a key or token answer 401 without it, and with a made-up one', async () => {
    const guarded = routes.filter(({ credential }) => credential === 'api-key' || credential === 'embed-token');
    for (const { method, path } of guarded.flatMap(callsOf)) {
      for (const headers of [{}, { authorization: 'Bearer made-up' }]) {
        const answer = await app.call(method, path, { key: null, headers });
        expect([answer.status, answer.body?.error?.code], `${method} ${path}`).toEqual([401, 'UNAUTHORIZED']);
      }
    }
  });
});

describe('a group whose paths overlap', () => {
  it('asks for the credential whichever of them takes the request, and counts it once', async () => {
    for (const [method, path] of [
      ['GET', '/api/overlap/x'],
      ['PATCH', '/api/overlap/x'],
      ['GET', '/api/overlap/fixed'],
    ] as const) {
      expect((await app.call(method, path, { key: null })).status, `${method} ${path}`).toBe(401);
      expect((await app.call(method, path)).status, `${method} ${path}`).toBe(200);
    }
    const first = await app.call('GET', '/api/overlap/fixed');
    const second = await app.call('GET', '/api/overlap/fixed');
    const left = (answer: typeof first) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    expect(left(first) - left(second)).toBe(1);
  });

  it('does not run what it did not register as a route', async () => {
    expect((await app.call('GET', '/api/overlap/hidden/door')).status).toBe(404);
  });
});

function overlappingGroup(): RouteGroup {
  const router = Router();
  router.get('/:id', (_request, response) => void response.json({ by: 'id' }));
  router.patch('/:name', (_request, response) => void response.json({ by: 'name' }));
  router.get('/fixed', (_request, response) => void response.json({ by: 'fixed' }));
  router.use('/hidden', (_request, response) => void response.json({ by: 'nobody' }));
  return { path: '/api/overlap', credential: 'api-key', router };
}
