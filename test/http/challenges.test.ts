import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/app/route.ts';
import { createCompatRoutes, createRoutes } from '../../src/http/routes.ts';
import { type CallOptions, createTestApp, type TestApp } from '../helpers/app.ts';
import { callWith, createOperator, freshAddress } from '../helpers/operators.ts';
import { createEndpoint } from '../helpers/story.ts';

const BEARER = 'Bearer realm="Refbridge"';
const INVALID = `${BEARER}, error="invalid_token"`;

const routes: readonly Route[] = [...createRoutes(), ...createCompatRoutes()];
const routesWith = (...credentials: string[]) => routes.filter(({ credential }) => credentials.includes(credential));
const pathOf = ({ path }: Route) => path.replaceAll(/:\w+/g, 'x');

describe('the challenge of a refused request', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite', { trustProxy: 1, metrics: { kind: 'token', token: 'a-long-metrics-token' } });
  });
  afterAll(() => app.close());

  const challengeAt = async (method: string, path: string, options: CallOptions = {}) => {
    const { status, headers } = await app.call(method, path, { key: null, ...options });
    return [status, headers.get('www-authenticate')];
  };

  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, BEARER],
    ['another scheme', { authorization: 'Basic YW5hOnNlY3JldA==' }, BEARER],
    ['a cookie', { cookie: '__Host-refbridge_session=over; __Host-refbridge_portal=over' }, BEARER],
    ['an unknown token', { authorization: 'Bearer made-up' }, INVALID],
    ['a malformed token', { authorization: 'bearer made up' }, INVALID],
  ])('of every route that takes a key or token, for %s', async (_, headers, expected) => {
    const guarded = routesWith('api-key', 'api-key-only', 'embed-token');
    expect(guarded.length).toBeGreaterThan(100);
    for (const route of guarded) {
      const challenge = await challengeAt(route.method, pathOf(route), { headers });
      // a change with the cookie of a portal is refused before the cookie is looked at
      const isForeign = route.credential === 'embed-token' && route.method !== 'GET' && 'cookie' in headers;
      expect([route.operationId, ...challenge]).toEqual([
        route.operationId,
        ...(isForeign ? [403, null] : [401, expected]),
      ]);
    }
    expect(await challengeAt('GET', '/metrics', { headers })).toEqual([401, expected]);
  });

  it('of every route for operators names no bearer token, whatever was sent', async () => {
    for (const route of routesWith('session')) {
      for (const headers of [{}, { authorization: 'Bearer made-up' }]) {
        const challenge = await challengeAt(route.method, pathOf(route), { headers });
        expect([route.operationId, ...challenge]).toEqual([route.operationId, 401, 'Cookie']);
      }
      // no other key could do it either
      const challenge = await challengeAt(route.method, pathOf(route), { key: app.apiKey });
      expect([route.operationId, ...challenge]).toEqual([route.operationId, 403, null]);
    }
  });

  it('of signing in is that of a session, and of a webhook that of its signature', async () => {
    const wrong = { body: { code: 'wrong' }, headers: freshAddress() };
    expect(await challengeAt('POST', '/api/session', wrong)).toEqual([401, 'Cookie']);
    expect(await challengeAt('POST', '/api/embed/session', wrong)).toEqual([401, 'Cookie']);
    const { id } = await createEndpoint(app, 'stripe');
    expect(await challengeAt('POST', `/webhooks/stripe/${id}`, { body: {} })).toEqual([401, 'Signature']);
  });

  it('of the page of an embedded portal says whether there was a token', async () => {
    expect(await challengeAt('GET', '/embed/referrals')).toEqual([401, BEARER]);
    expect(await challengeAt('GET', '/embed/referrals?token=made-up')).toEqual([401, INVALID]);
  });

  it('is absent when a role does not include something', async () => {
    const viewer = await createOperator(app, 'viewer');
    const { status, headers } = await callWith(app, viewer.cookie)('POST', '/api/partners', { body: {} });
    expect([status, headers.get('www-authenticate')]).toEqual([403, null]);
  });
});
