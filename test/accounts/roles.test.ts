import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/app/route.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createOperator, freshAddress, type SignedIn } from '../helpers/operators.ts';

const routes: readonly Route[] = createRoutes();
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
/** Explaining a delivery writes nothing. */
const isReading = ({ method, operationId }: Route) => method === 'GET' || operationId === 'explainDelivery';

/** The only changes that viewers may make: to themselves. */
const OF_ONESELF = ['DELETE /api/session', 'DELETE /api/sessions/:id', 'PATCH /api/session'];
const OF_OWNERS = [
  'DELETE /api/customers/:externalId/personal-data',
  'DELETE /api/operators/:id',
  'DELETE /api/partners/:id/personal-data',
  'GET /api/exports',
  'GET /api/exports/:id',
  'GET /api/exports/:id/download',
  'GET /api/imports',
  'GET /api/imports/:id',
  'PATCH /api/operators/:id',
  'POST /api/exports',
  'POST /api/imports',
  'POST /api/imports/:id/cancel',
  'POST /api/operators',
  'POST /api/operators/:id/sign-in-url',
  'PUT /api/imports/:id/file',
];
/** Calls that only a backend makes. */
const ONLY_KEYS = ['POST /api/sales', 'POST /api/track/lead', 'POST /api/track/sale'];

describe('what a role may do', () => {
  let app: TestApp;
  let operators: Record<'owner' | 'member' | 'viewer', SignedIn>;
  beforeAll(async () => {
    app = await createTestApp('sqlite', { trustProxy: 1 });
    operators = {
      owner: await createOperator(app, 'owner'),
      member: await createOperator(app, 'member'),
      viewer: await createOperator(app, 'viewer'),
    };
  });
  afterAll(() => app.close());

  // a stream does not end
  const withSession = routes.filter(
    ({ credential, operationId }) =>
      (credential === 'api-key' || credential === 'session') && operationId !== 'streamDeliveries',
  );
  const request = async (who: SignedIn, { method, path }: Route) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    return who.call(method, path.replaceAll(/:\w+/g, 'x'), { headers: freshAddress(), ...body });
  };
  /** The routes that refuse this role, found by calling each of them. */
  const refusedTo = async (role: keyof typeof operators) => {
    const refused = [];
    for (const route of withSession) {
      if (OF_ONESELF.includes(nameOf(route))) continue;
      const { status, body } = await request(operators[role], route);
      if (status === 403) expect(body.error.message, nameOf(route)).toContain(`Your role is ${role}`);
      if (status === 403) refused.push(nameOf(route));
      else expect([200, 201, 202, 204, 400, 404], nameOf(route)).toContain(status);
    }
    return refused.sort();
  };

  it('covers every route of /api but those of backends, visitors and partners', () => {
    expect(withSession.length).toBeGreaterThan(40);
    const onlyKeys = routes.filter(({ credential }) => credential === 'api-key-only').map(nameOf);
    expect(onlyKeys.sort()).toEqual(ONLY_KEYS);
  });

  it('lets a viewer read everything and change nothing', async () => {
    // routes that show accounts in clear text, or everybody, are not open to every viewer
    const isRefused = (route: Route) => !isReading(route) || ['member', 'owner'].includes(route.role ?? '');
    const changing = withSession.filter((route) => isRefused(route) && !OF_ONESELF.includes(nameOf(route)));
    expect(changing.length).toBeGreaterThan(20);
    expect(await refusedTo('viewer')).toEqual(changing.map(nameOf).sort());
  });

  it('lets a member change everything but operators, but not erase, import or export', async () => {
    expect(await refusedTo('member')).toEqual(OF_OWNERS);
  });

  it('only owners make keys that may do everything', async () => {
    const make = async (who: SignedIn, body: object) =>
      (await who.call('POST', '/api/api-keys', { headers: freshAddress(), body: { name: 'Key', ...body } })).status;
    const { owner, member } = operators;
    expect([await make(member, {}), await make(member, { scope: 'full' })]).toEqual([403, 403]);
    expect([await make(member, { scope: 'track' }), await make(member, { scope: 'read' })]).toEqual([201, 201]);
    expect(await make(owner, {})).toBe(201);
  });

  it('only owners revoke keys that may do everything', async () => {
    const { owner, member } = operators;
    const keyOf = async (scope: string) =>
      (await app.call('POST', '/api/api-keys', { body: { name: 'Backend', scope } })).body.id;
    const [full, track] = [await keyOf('full'), await keyOf('track')];
    const revoke = (who: SignedIn, id: string) =>
      who.call('DELETE', `/api/api-keys/${id}`, { headers: freshAddress() });
    const refused = await revoke(member, full);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await revoke(member, track)).status).toBe(204);
    const revokedAt = async () =>
      (await app.call('GET', '/api/api-keys')).body.data.find(({ id }: { id: string }) => id === full).revokedAt;
    expect(await revokedAt()).toBeNull();
    expect((await revoke(owner, full)).status).toBe(204);
    expect(await revokedAt()).not.toBeNull();
  });

  it('an owner may do everything', async () => {
    expect(await refusedTo('owner')).toEqual([]);
  });

  it('applies from the next request on', async () => {
    const { owner } = operators;
    const changed = await createOperator(app, 'member');
    const create = () => changed.call('POST', '/api/programs', { body: { name: 'By a member' } });
    expect((await create()).status).toBe(201);
    const demoted = await owner.call('PATCH', `/api/operators/${changed.id}`, { body: { role: 'viewer' } });
    expect([demoted.status, demoted.body.role]).toEqual([200, 'viewer']);
    expect((await create()).status).toBe(403);
    expect((await owner.call('DELETE', `/api/operators/${changed.id}`)).status).toBe(204);
    expect((await changed.call('GET', '/api/programs')).status).toBe(401);
  });

  it('cannot be replaced by an API key where a person is needed', async () => {
    const ofPeople = routes.filter(({ credential }) => credential === 'session');
    expect(ofPeople.length).toBeGreaterThan(8);
    for (const { method, path } of ofPeople) {
      const answer = await app.call(
        method,
        path.replaceAll(/:\w+/g, 'x'),
        method === 'GET' ? {} : { body: {}, headers: freshAddress() },
      );
      expect([`${method} ${path}`, answer.status]).toEqual([`${method} ${path}`, 403]);
      expect(answer.body.error.message).toContain('API keys cannot do this');
    }
  });

  it('does not open routes that only a backend may call', async () => {
    for (const name of ONLY_KEYS) {
      const [method = '', path = ''] = name.split(' ');
      expect((await operators.owner.call(method, path, { body: {} })).status).toBe(401);
    }
  });
});
