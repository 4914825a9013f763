import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { isPassword } from '../../src/accounts/passwords.ts';
import { createBearerToken } from '../../src/app/bearer-token.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { callWith, cookieOf, createOperator, freshAddress, invite, signIn } from '../helpers/operators.ts';

vi.mock('../../src/accounts/passwords.ts', { spy: true });

const PASSWORD = 'correct horse battery';
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

describe.each(engines)('signing in, on %s', (engine) => {
  let app: TestApp;
  let now = NOW;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1, service: { clock: () => now } });
  });
  afterAll(() => app.close());
  beforeEach(() => {
    now += DAY_MS;
  });

  describe('with the code of an address', () => {
    it('opens a session in a cookie that scripts, other sites and subdomains cannot use', async () => {
      const { id, email, code } = await invite(app);
      const answer = await signIn(app, { code });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const expires = new Date(now + 14 * DAY_MS).toISOString();
      expect(answer.body).toEqual({
        operator: {
          id,
          name: 'Olga owner',
          email,
          role: 'owner',
          hasPassword: false,
          createdAt: new Date(now).toISOString(),
          lastSeenAt: new Date(now).toISOString(),
        },
        expires,
      });
      const [value, ...attributes] = answer.headers.getSetCookie()[0]?.split('; ') ?? [];
      expect(value).toMatch(/^__Host-refbridge_session=rb_session_\w{36}$/);
      expect(attributes).toEqual(['Path=/', `Max-Age=${14 * 86_400}`, 'HttpOnly', 'SameSite=Strict', 'Secure']);
      const own = await callWith(app, cookieOf(answer))('GET', '/api/session');
      expect(own.body).toEqual(answer.body);
    });

    it('works once, even for two requests at the same time', async () => {
      const { code } = await invite(app);
      const answers = await Promise.all([1, 2, 3].map(() => signIn(app, { code })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
      expect((await signIn(app, { code })).status).toBe(401);
    });

    it('works for half an hour', async () => {
      const [late, early] = [await invite(app), await invite(app)];
      now += 30 * 60_000 - 1;
      expect((await signIn(app, { code: early.code })).status).toBe(200);
      now += 1;
      expect((await signIn(app, { code: late.code })).status).toBe(401);
    });

    it('is stored only as a hash, as are sessions and passwords', async () => {
      const { code, email } = await invite(app);
      const answer = await signIn(app, { code });
      const token = cookieOf(answer).split('=')[1] ?? '';
      await callWith(app, cookieOf(answer))('PATCH', '/api/session', { body: { password: PASSWORD } });
      const stored = await app.service.database.read(async (tx) =>
        JSON.stringify([
          await tx.all('SELECT * FROM operators'),
          await tx.all('SELECT * FROM sign_in_codes'),
          await tx.all('SELECT * FROM operator_sessions'),
          await tx.all('SELECT * FROM audit_log'),
        ]),
      );
      expect(stored).toContain(email);
      expect(stored).toContain('scrypt$32768$8$1$');
      for (const secret of [code, token, PASSWORD]) expect(stored).not.toContain(secret);
    });
  });

  describe('with e-mail address and password', () => {
    it('works once a password is set, in any case of the address', async () => {
      const operator = await createOperator(app, 'viewer');
      const changed = await operator.call('PATCH', '/api/session', { body: { password: PASSWORD, name: 'Vera' } });
      expect([changed.status, changed.body.hasPassword, changed.body.name]).toEqual([200, true, 'Vera']);
      const answer = await signIn(app, { email: operator.email.toUpperCase(), password: PASSWORD });
      expect([answer.status, answer.body?.operator.id]).toEqual([200, operator.id]);
    });

    it('is refused in the same words and after the same work, whatever is wrong', async () => {
      const operator = await createOperator(app);
      await operator.call('PATCH', '/api/session', { body: { password: PASSWORD } });
      const { email: without, code: used } = await invite(app);
      await signIn(app, { code: used });
      const compared = vi.mocked(isPassword).mockClear();
      const attempts = [
        { email: operator.email, password: 'wrong' },
        { email: without, password: PASSWORD },
        { email: 'nobody@example.com', password: PASSWORD },
      ];
      const answers = [];
      for (const [index, body] of attempts.entries()) {
        answers.push(await signIn(app, body));
        expect(compared).toHaveBeenCalledTimes(index + 1);
      }
      for (const code of [used, 'made-up', createBearerToken('rb_signin_'), app.apiKey]) {
        answers.push(await signIn(app, { code }));
      }
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(401);
      expect(answers[0]?.headers.getSetCookie()).toEqual([]);
    });

    it.each([{}, { email: 'a@example.com' }, { code: 'x', email: 'a@example.com', password: 'x' }])(
      'is 400 for %j',
      async (body) => {
        expect((await signIn(app, body)).status).toBe(400);
      },
    );
  });

  describe('attempts', () => {
    it('are limited to ten a minute per client address', async () => {
      const headers = freshAddress();
      const attempt = () => signIn(app, { code: 'made-up' }, headers);
      for (let count = 0; count < 10; count += 1) expect((await attempt()).status).toBe(401);
      const refused = await attempt();
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const { code } = await invite(app);
      expect((await signIn(app, { code }, headers)).status).toBe(429);
      expect((await signIn(app, { code })).status).toBe(200);
    });

    it('are limited per client address also if the proxy reports ports, which differ on each connection', async () => {
      const { 'x-forwarded-for': address } = freshAddress();
      const statuses = [];
      for (let port = 40_000; port <= 40_010; port += 1) {
        const answer = await signIn(app, { code: 'made-up' }, { 'x-forwarded-for': `${address}:${port}` });
        statuses.push(answer.status);
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    });

    it('are limited to five a minute per e-mail address, from any client, whether the address is known or not', async () => {
      const { email } = await createOperator(app);
      for (const name of [email, 'unknown@example.com']) {
        const statuses = [];
        for (let count = 0; count < 6; count += 1) {
          statuses.push((await signIn(app, { email: name, password: 'wrong' })).status);
        }
        expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
      }
    });
  });

  describe('a session', () => {
    it('lasts two weeks from its last use, also in the browser', async () => {
      const operator = await createOperator(app);
      const lastSeen = async () =>
        app.service.database.read((tx) =>
          tx.get('SELECT expires_at AS expires FROM operator_sessions WHERE operator_id = @id', { id: operator.id }),
        );
      now += 13 * DAY_MS;
      const used = await operator.call('GET', '/api/session');
      expect(used.headers.getSetCookie()[0]).toContain(operator.cookie);
      await expect.poll(lastSeen).toEqual({ expires: now + 14 * DAY_MS });
      now += 14 * DAY_MS - 1;
      expect((await operator.call('GET', '/api/programs')).status).toBe(200);
      await expect.poll(lastSeen).toEqual({ expires: now + 14 * DAY_MS });
      now += 14 * DAY_MS;
      expect((await operator.call('GET', '/api/programs')).status).toBe(401);
    });

    it('records its last use at most every five minutes', async () => {
      const operator = await createOperator(app);
      const write = vi.spyOn(app.service.database, 'write');
      now += 5 * 60_000 - 1;
      await operator.call('GET', '/api/session');
      expect(write).not.toHaveBeenCalled();
      now += 1;
      await operator.call('GET', '/api/session');
      await operator.call('GET', '/api/session');
      expect(write).toHaveBeenCalledOnce();
      write.mockRestore();
    });

    it('ends with signing out, which removes the cookie', async () => {
      const operator = await createOperator(app, 'viewer');
      const answer = await operator.call('DELETE', '/api/session');
      expect(answer.status).toBe(204);
      expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-refbridge_session=; Path=\/; Max-Age=0;/);
      expect((await operator.call('GET', '/api/session')).status).toBe(401);
    });

    it('is rate-limited separately', async () => {
      const operator = await createOperator(app);
      const answer = await operator.call('GET', '/api/session');
      expect(answer.headers.get('ratelimit-policy')).toBe('"minute";q=600;w=60');
      expect(answer.headers.get('ratelimit')).toMatch(/^"minute";r=599;/);
    });
  });

  describe('a new password', () => {
    it('ends all other sessions and sign-in addresses, and keeps this one', async () => {
      const operator = await createOperator(app);
      const { body } = await operator.call('POST', `/api/operators/${operator.id}/sign-in-url`);
      const pending = await operator.call('POST', `/api/operators/${operator.id}/sign-in-url`);
      const other = callWith(app, cookieOf(await signIn(app, { code: body.signInUrl.split('=')[1] })));
      expect((await other('GET', '/api/session')).status).toBe(200);
      const changed = await operator.call('PATCH', '/api/session', { body: { password: PASSWORD } });
      expect(changed.status).toBe(200);
      expect((await other('GET', '/api/session')).status).toBe(401);
      expect((await signIn(app, { code: pending.body.signInUrl.split('=')[1] })).status).toBe(401);
      expect((await operator.call('GET', '/api/session')).status).toBe(200);
    });

    it('needs the current one, unless an address opened this session in the last half hour', async () => {
      const operator = await createOperator(app);
      const change = (body: object) => operator.call('PATCH', '/api/session', { body, headers: freshAddress() });
      expect((await change({ password: PASSWORD })).status).toBe(200);
      now += 30 * 60_000;
      const refused = await change({ password: 'another password' });
      expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'currentPassword']);
      expect((await change({ email: 'thief@example.com' })).status).toBe(400);
      expect((await change({ password: null, currentPassword: 'wrong' })).status).toBe(400);
      expect((await change({ name: 'Olga' })).status).toBe(200);
      expect((await change({ password: 'another password', currentPassword: PASSWORD })).status).toBe(200);
      expect((await signIn(app, { email: operator.email, password: PASSWORD })).status).toBe(401);
      expect((await signIn(app, { email: operator.email, password: 'another password' })).status).toBe(200);
    });

    it('is refused when it is short, or when there is no e-mail address to sign in with', async () => {
      const { call } = await createOperator(app);
      const change = async (body: object) => {
        const answer = await call('PATCH', '/api/session', { body });
        return answer.status === 200 ? 'done' : answer.body.error.details[0].path;
      };
      expect(await change({ password: 'short' })).toBe('password');
      expect(await change({ password: PASSWORD })).toBe('done');
      expect(await change({ email: null })).toBe('email');
      expect(await change({ email: null, password: null })).toBe('done');
      expect(await change({ password: PASSWORD })).toBe('email');
    });
  });
});
