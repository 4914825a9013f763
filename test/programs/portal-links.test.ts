import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBearerToken } from '../../src/app/bearer-token.ts';
import { type Answer, call, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { cookieOf, createOperator, freshAddress } from '../helpers/operators.ts';
import { createReferrer } from '../helpers/story.ts';

const DAY_MS = 86_400_000;
const CONFIG = '/api/embed/referrals/portal-config';

describe.each(engines)('a portal link, on %s', (engine) => {
  let app: TestApp;
  let partnerId: string;
  let now = Date.UTC(2026, 5, 1);
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1, service: { clock: () => now } });
    partnerId = (await createReferrer(app)).partnerId;
  });
  afterAll(() => app.close());

  const newCode = async () => {
    const answer = await app.call('POST', `/api/partners/${partnerId}/portal-link`);
    return new URL(answer.body.url).hash.replace('#code=', '');
  };
  const open = (code: string, headers: Record<string, string> = {}) =>
    app.call('POST', '/api/embed/session', { key: null, body: { code }, headers: { ...freshAddress(), ...headers } });
  const config = (cookie: string, headers: Record<string, string> = {}) =>
    app.call('GET', CONFIG, { key: null, headers: { cookie, ...headers } });

  it('is an address with a code in its fragment, for seven days; a key or a session creates it', async () => {
    const { call: asMember } = await createOperator(app, 'member');
    for (const answer of [
      await app.call('POST', `/api/partners/${partnerId}/portal-link`),
      await asMember('POST', `/api/partners/${partnerId}/portal-link`),
    ]) {
      expect(answer.status).toBe(201);
      expect(answer.body.url).toMatch(/^https:\/\/refer\.example\.com\/portal#code=rb_portalcode_\w{36}$/);
      expect(answer.body.expires).toBe(new Date(now + 7 * DAY_MS).toISOString());
    }
    expect((await app.call('POST', '/api/partners/ptr_0/portal-link')).status).toBe(404);
  });

  it('becomes a session of 30 days in a cookie, which the portal accepts instead of an embed token', async () => {
    const answer = await open(await newCode());
    expect([answer.status, answer.body]).toEqual([200, { expires: new Date(now + 30 * DAY_MS).toISOString() }]);
    const [value, ...attributes] = answer.headers.getSetCookie()[0]?.split('; ') ?? [];
    expect(value).toMatch(/^__Host-refbridge_portal=rb_portal_\w{36}$/);
    expect(attributes).toEqual(['Path=/', `Max-Age=${30 * 86_400}`, 'HttpOnly', 'SameSite=Strict', 'Secure']);
    const shown = await config(cookieOf(answer));
    expect([shown.status, shown.body.programName]).toEqual([200, 'Example Ltd']);
    now += 30 * DAY_MS - 1;
    expect((await config(cookieOf(answer))).status).toBe(200);
    now += 1;
    expect((await config(cookieOf(answer))).status).toBe(401);
  });

  it('works once, within seven days, whoever uses it first', async () => {
    const code = await newCode();
    const answers = await Promise.all([open(code), open(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const [last, late] = [await newCode(), await newCode()];
    now += 7 * DAY_MS - 1;
    expect((await open(last)).status).toBe(200);
    now += 1;
    expect((await open(late)).status).toBe(401);
  });

  it('opens only the portal', async () => {
    const cookie = cookieOf(await open(await newCode()));
    const token = cookie.split('=')[1] ?? '';
    const asKey = (path: string) => app.call('GET', path, { key: token });
    expect((await asKey('/api/partners')).status).toBe(401);
    expect((await asKey(CONFIG)).status).toBe(401);
    const asSession = { cookie: `__Host-refbridge_session=${token}` };
    expect((await app.call('GET', '/api/partners', { key: null, headers: asSession })).status).toBe(401);
    const { cookie: operators } = await createOperator(app);
    expect((await config(operators.replace('session', 'portal'))).status).toBe(401);
  });

  it('can be opened and read only by our own page', async () => {
    const foreign = { origin: 'https://app.example.com' };
    const code = await newCode();
    expect((await open(code, { 'sec-fetch-site': 'same-site', ...foreign })).status).toBe(403);
    const answer = await open(code, { origin: 'https://refer.example.com' });
    expect(answer.status).toBe(200);
    expect((await config(cookieOf(answer), foreign)).status).toBe(403);
  });

  it('ends with signing out', async () => {
    const cookie = cookieOf(await open(await newCode()));
    const close = (headers: Record<string, string>): Promise<Answer> =>
      call(`${app.url}/api/embed/session`, 'DELETE', { headers: { cookie, ...headers } });
    expect((await close({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await config(cookie)).status).toBe(200);
    const answer = await close({});
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-refbridge_portal=; .*Max-Age=0/);
    expect((await config(cookie)).status).toBe(401);
  });

  it('costs no write for a code or a session that somebody made up', async () => {
    const { database } = app.service;
    const { write } = database;
    let writeCount = 0;
    database.write = (...unit) => {
      writeCount += 1;
      return write(...unit);
    };
    expect((await open(createBearerToken('rb_portalcode_'))).status).toBe(401);
    const headers = { cookie: `__Host-refbridge_portal=${createBearerToken('rb_portal_')}` };
    expect((await app.call('DELETE', '/api/embed/session', { key: null, headers })).status).toBe(204);
    database.write = write;
    expect(writeCount).toBe(0);
  });

  it('has a limit on guesses per client address', async () => {
    const headers = freshAddress();
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await open('made-up', headers)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });
});
