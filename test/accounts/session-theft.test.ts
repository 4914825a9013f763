import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBearerToken } from '../../src/app/bearer-token.ts';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import {
  callWith,
  cookieOf,
  createOperator,
  freshAddress,
  invite,
  type SignedIn,
  signIn,
} from '../helpers/operators.ts';
import { beginPost } from '../helpers/raw-connection.ts';
import { unique } from '../helpers/story.ts';

const PROGRAM = { name: 'Forged' };

describe.each(engines)('a session, on %s', (engine) => {
  let app: TestApp;
  let owner: SignedIn;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
    owner = await createOperator(app);
  });
  afterAll(() => app.close());

  /** A change as a page would send it, with the browser's cookie. */
  const forge = (headers: Record<string, string>, method = 'POST', path = '/api/programs') =>
    call(app.url + path, method, { body: PROGRAM, headers: { cookie: owner.cookie, ...headers } });
  const programNames = async () =>
    (await app.call('GET', '/api/programs')).body.data.map(({ name }: { name: string }) => name);

  describe('changes nothing', () => {
    it.each<[string, Record<string, string>]>([
      ['without a word about the page', {}],
      ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.net' }],
      ['from a neighbouring subdomain', { 'sec-fetch-site': 'same-site', origin: 'https://shop.example.com' }],
      ['from a bookmark or a link', { 'sec-fetch-site': 'none' }],
      ['from another origin in an old browser', { origin: 'https://evil.example.net' }],
      ['from a sandboxed frame', { origin: 'null' }],
      ['from our host without TLS', { origin: 'http://refer.example.com' }],
      ['from our host with another port', { origin: 'https://refer.example.com:8443' }],
      ['when only the Referer is ours', { referer: 'https://refer.example.com/dashboard/' }],
    ])('%s', async (_, headers) => {
      const answer = await forge(headers);
      expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
      expect(await programNames()).not.toContain(PROGRAM.name);
    });

    it('nor by any method on its own routes', async () => {
      const attempts = [
        ['PATCH', `/api/programs/${app.programId}`],
        ['POST', '/api/operators'],
        ['PATCH', '/api/session'],
        ['DELETE', `/api/operators/${owner.id}`],
        ['DELETE', '/api/session'],
      ];
      for (const [method, path] of attempts) {
        const headers = { 'sec-fetch-site': 'cross-site', ...freshAddress() };
        expect((await forge(headers, method, path)).status, `${method} ${path}`).toBe(403);
      }
      expect((await owner.call('GET', '/api/session')).status).toBe(200);
    });
  });

  it('changes something when the request comes from a page of the service, whichever header says so', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: 'https://refer.example.com' }]) {
      const answer = await call(`${app.url}/api/programs`, 'POST', {
        body: { name: unique('Program') },
        headers: { cookie: owner.cookie, ...headers },
      });
      expect(answer.status).toBe(201);
    }
  });

  it('cannot be opened from a page of another origin, which could sign a person in as somebody else', async () => {
    const { code } = await invite(app);
    const foreign = { origin: 'https://evil.example.net', ...freshAddress() };
    expect((await signIn(app, { code }, foreign)).status).toBe(403);
    expect((await signIn(app, { code })).status).toBe(200);
  });

  it('can be read with its cookie, but never by a foreign page', async () => {
    const read = await call(`${app.url}/api/programs`, 'GET', {
      headers: { cookie: owner.cookie, origin: 'https://evil.example.net' },
    });
    expect(read.status).toBe(200);
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
    expect(read.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each([
    ['a made-up token', () => createBearerToken('rb_session_')],
    ['an API key', () => app.apiKey],
    ['nothing', () => ''],
    ['SQL', () => "' OR 1=1 --"],
  ])('is not accepted %s', async (_, token) => {
    const answer = await callWith(app, `__Host-refbridge_session=${token()}`)('GET', '/api/programs');
    expect(answer.status).toBe(401);
  });

  it('is not accepted under another cookie name, which a subdomain could set, nor as a bearer token', async () => {
    const [, token = ''] = owner.cookie.split('=');
    expect((await callWith(app, `refbridge_session=${token}`)('GET', '/api/programs')).status).toBe(401);
    expect((await callWith(app, `x__Host-refbridge_session=${token}`)('GET', '/api/programs')).status).toBe(401);
    expect((await app.call('GET', '/api/programs', { key: token })).status).toBe(401);
    expect((await callWith(app, `theme=dark; ${owner.cookie}; lang=en`)('GET', '/api/programs')).status).toBe(200);
  });

  it('lets nobody guess the password more than five times a minute, from however many addresses', async () => {
    const { call: callAsOperator } = await createOperator(app);
    const change = (body: object) => callAsOperator('PATCH', '/api/session', { body, headers: freshAddress() });
    expect((await change({ password: 'a long password' })).status).toBe(200);
    const statuses = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await change({ password: null, currentPassword: 'wrong' })).status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
    expect((await change({ name: 'Olga' })).status).toBe(200);
  });

  it('never makes up for an invalid key in the same request', async () => {
    const headers = { authorization: 'Bearer made-up' };
    expect((await owner.call('GET', '/api/programs', { headers })).status).toBe(401);
    expect((await owner.call('GET', '/api/session', { headers })).status).toBe(401);
  });

  it("cannot see or end another account's sessions", async () => {
    const other = await app.addAccount(unique('Other'));
    const stranger = await createOperator(app, 'owner', other.accountId);
    const ids = async (who: SignedIn, path: string) =>
      (await who.call('GET', path)).body.data.map(({ id }: { id: string }) => id);
    const [sessionId] = await ids(owner, '/api/sessions');
    expect(await ids(stranger, '/api/sessions')).toHaveLength(1);
    expect(await ids(stranger, '/api/operators')).toEqual([stranger.id]);
    expect(await ids(stranger, `/api/audit-log?operatorId=${owner.id}`)).toEqual([]);
    expect(await ids(stranger, '/api/programs')).toEqual([other.programId]);
    const attempts: [string, string, object?][] = [
      ['DELETE', `/api/sessions/${sessionId}`],
      ['DELETE', `/api/operators/${owner.id}`],
      ['PATCH', `/api/operators/${owner.id}`, { role: 'viewer' }],
      ['POST', `/api/operators/${owner.id}/sign-in-url`],
      ['PATCH', `/api/programs/${app.programId}`, { name: 'Taken over' }],
    ];
    for (const [method, path, body] of attempts) {
      const answer = await stranger.call(method, path, body === undefined ? {} : { body });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await owner.call('GET', '/api/session')).body.operator.role).toBe('owner');
  });

  it('is listed with what its operator may see, and can be ended at once', async () => {
    const member = await createOperator(app, 'member');
    const second = callWith(app, cookieOf(await signIn(app, { code: (await invite(app, 'viewer')).code })));
    const own = (await member.call('GET', '/api/sessions')).body.data;
    expect(own).toHaveLength(1);
    expect(own[0]).toMatchObject({ operatorId: member.id, operatorName: 'Olga member', isCurrent: true });
    const all = (await owner.call('GET', '/api/sessions?limit=100')).body.data;
    expect(all.length).toBeGreaterThan(2);
    const [seconds] = (await second('GET', '/api/sessions')).body.data;
    expect((await member.call('DELETE', `/api/sessions/${seconds.id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `/api/sessions/${seconds.id}`)).status).toBe(204);
    expect((await second('GET', '/api/programs')).status).toBe(401);
    expect((await member.call('GET', '/api/programs')).status).toBe(200);
  });

  it.each<[string, (who: SignedIn) => Promise<unknown>]>([
    ['was removed', ({ id }) => owner.call('DELETE', `/api/operators/${id}`)],
    ['lost the role', ({ id }) => owner.call('PATCH', `/api/operators/${id}`, { body: { role: 'viewer' } })],
  ])('changes nothing when its operator %s while the body was on its way', async (_, end) => {
    const second = await createOperator(app);
    const body = JSON.stringify({ name: 'Back Door', email: 'back-door@example.com', role: 'owner' });
    const headers = { cookie: second.cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    const { socket, received } = await beginPost(app.url, '/api/operators', body.length, headers);
    await end(second);
    await sleep(300);
    socket.write(body);
    await expect.poll(received).toContain('HTTP/1.1 401 ');
    socket.destroy();
    expect((await owner.call('GET', '/api/operators?limit=100')).text).not.toContain('back-door');
  });

  it('stores the start of the browser’s name, but no address', async () => {
    const { code } = await invite(app);
    const headers = { 'user-agent': `Browser/${'1'.repeat(500)}`, 'x-forwarded-for': '203.0.113.77' };
    const session = callWith(app, cookieOf(await signIn(app, { code }, headers)));
    const [shown] = (await session('GET', '/api/sessions')).body.data.filter(
      ({ isCurrent }: { isCurrent: boolean }) => isCurrent,
    );
    expect(shown.userAgent).toMatch(/^Browser\/1+…$/);
    expect(shown.userAgent.length).toBe(120);
    const rows = await app.service.database.read((tx) => tx.all('SELECT * FROM operator_sessions'));
    expect(JSON.stringify(rows)).not.toContain('203.0.113.77');
  });
});
