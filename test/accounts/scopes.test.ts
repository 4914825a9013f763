import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { neededScope, type Route } from '../../src/app/route.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, unique } from '../helpers/story.ts';

// a stream does not end
const routes: readonly Route[] = createRoutes().filter(
  ({ credential, operationId }) => credential.startsWith('api-key') && operationId !== 'streamDeliveries',
);

/** What a key with the scope `track` may call; a new route must be listed here on purpose. */
const TRACKING = [
  'POST /api/embed/token',
  'POST /api/refunds',
  'POST /api/sales',
  'POST /api/track/lead',
  'POST /api/track/sale',
];

describe.each(engines)('the scope of an API key, on %s', (engine) => {
  let app: TestApp;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    app = await createTestApp(engine);
    for (const scope of ['track', 'read', 'full']) {
      const { status, body } = await app.call('POST', '/api/api-keys', { body: { name: scope, scope } });
      expect([status, body.scope]).toEqual([201, scope]);
      keys[scope] = body.key;
    }
  });
  afterAll(() => app.close());

  /** The routes that this key may call; the others must answer 403 and name the scope they need. */
  async function allowedFor(scope: string): Promise<string[]> {
    const allowed: string[] = [];
    for (const route of routes) {
      const { method, path } = route;
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      const answer = await app.call(method, path.replaceAll(/:\w+/g, 'x'), { key: keys[scope] ?? null, ...body });
      const challenge = answer.headers.get('www-authenticate');
      if (answer.status !== 403) {
        allowed.push(`${method} ${path}`);
        expect(challenge, path).toBeNull();
        continue;
      }
      expect(answer.body.error).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining(`"${scope}"`) });
      const needed = neededScope(route);
      expect(challenge, path).toBe(`Bearer realm="Refbridge", error="insufficient_scope", scope="${needed}"`);
    }
    return allowed.sort();
  }

  it('is shown in the list', async () => {
    const { body } = await app.call('GET', '/api/api-keys');
    expect(body.data.map(({ scope }: { scope: string }) => scope)).toEqual(['full', 'read', 'track', 'full']);
  });

  it('track allows a key to report conversions and create embed tokens, and nothing else', async () => {
    expect(await allowedFor('track')).toEqual(TRACKING);
    const referrer = await createReferrer(app);
    const body = { clickId: await referrer.click(), eventName: 'Sign up', customerExternalId: unique('user') };
    expect((await app.call('POST', '/api/track/lead', { key: keys.track ?? null, body })).status).toBe(200);
  });

  it('read allows every GET except for files that show accounts or everybody, plus explaining a delivery', async () => {
    const gets = routes
      .filter(({ method, scope }) => method === 'GET' && scope !== 'full')
      .map(({ path }) => `GET ${path}`);
    const reads = [...gets, 'POST /api/explain'];
    expect(reads.length).toBeGreaterThan(15);
    expect(reads).not.toContain('GET /api/payouts/files/:id');
    expect(reads).not.toContain('GET /api/exports/:id/download');
    expect(await allowedFor('read')).toEqual(reads.sort());
  });

  it('full, the default of keys, allows everything', async () => {
    expect(routes.map(neededScope)).toContain('full');
    const { status } = await app.call('PATCH', '/api/links/x', { key: keys.full ?? null, body: {} });
    expect(status).toBe(404);
  });

  it('cannot have another value', async () => {
    const answer = await app.call('POST', '/api/api-keys', { body: { name: 'x', scope: 'write' } });
    expect(answer.body.error.message).toBe('scope: must be one of track, read, full');
  });
});
