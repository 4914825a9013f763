import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { startOpenIdProvider, type TestProvider } from '../helpers/open-id-provider.ts';
import { freshAddress } from '../helpers/operators.ts';
import { createSignInApp, invitePerson, openBrowser, problemOf } from '../helpers/sign-in-browser.ts';

const CALLBACK = '/dashboard/single-sign-on/callback';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startOpenIdProvider();
});
afterAll(() => provider.close());

describe('a failed single sign-on', () => {
  let app: TestApp;
  const lines: string[] = [];
  beforeAll(async () => {
    app = await createSignInApp('sqlite', provider, {
      log: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }),
    });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await invitePerson(app, provider);
  });

  const now = () => Math.floor(Date.now() / 1000);
  it.each([
    ['signed by nobody', 'invalid', () => ({ algorithm: 'none' })],
    ['signed with another key', 'invalid', () => ({ signsAsStranger: true })],
    ['for another client', 'invalid', () => ({ claims: { aud: 'somebody-else' } })],
    ['for another attempt', 'invalid', () => ({ claims: { nonce: 'of-another-attempt' } })],
    ['without a nonce', 'invalid', () => ({ claims: { nonce: undefined } })],
    ['of another issuer', 'invalid', () => ({ claims: { iss: 'https://accounts.example.com' } })],
    ['that names nobody', 'invalid', () => ({ claims: { sub: '' } })],
    ['that has expired', 'clock', () => ({ claims: { iat: now() - 600, exp: now() - 300 } })],
    ['of the future', 'clock', () => ({ claims: { nbf: now() + 600, exp: now() + 900 } })],
  ] as const)('refuses a token %s', async (_, problem, conduct) => {
    Object.assign(provider.conduct, conduct());
    const browser = openBrowser(app);
    expect(problemOf((await browser.signIn()).location)).toBe(problem);
    expect(browser.jar.size).toBe(0);
    provider.reset(provider.conduct.person);
    expect((await browser.signIn()).location).toBe('/dashboard/');
  });

  it('accepts a code once, and only in the browser that began', async () => {
    const browser = openBrowser(app);
    const callback = await browser.approach();
    expect(problemOf((await openBrowser(app).get(callback)).location)).toBe('expired');
    const other = openBrowser(app);
    await other.approach();
    expect(problemOf((await other.get(callback)).location)).toBe('expired');
    const attempt = browser.jar.get('refbridge_sign_in') ?? '';
    expect((await browser.get(callback)).location).toBe('/dashboard/');
    expect(problemOf((await browser.get(callback)).location)).toBe('expired');
    const thief = openBrowser(app);
    thief.jar.set('refbridge_sign_in', attempt);
    expect(problemOf((await thief.get(callback)).location)).toBe('expired');
    expect(thief.jar.size).toBe(0);
  });

  it('ends no attempt of another tab, of which a browser keeps three', async () => {
    const browser = openBrowser(app);
    const tabs: string[] = [];
    for (const page of ['/sales', '/payouts', '/links', '/partners']) {
      tabs.push(await browser.approach(`?return=${page}`));
    }
    const [first = '', second = '', third = '', fourth = ''] = tabs;
    expect(problemOf((await browser.get(first)).location)).toBe('expired');
    expect((await browser.get(third)).location).toBe('/dashboard/links');
    expect(problemOf((await browser.get(third)).location)).toBe('expired');
    expect((await browser.get(second)).location).toBe('/dashboard/payouts');
    expect((await browser.get(fourth)).location).toBe('/dashboard/partners');
    expect([...browser.jar.keys()]).toEqual(['refbridge_session']);
  });

  it('keeps the attempts of several tabs in a cookie that browsers accept', async () => {
    const browser = openBrowser(app);
    const page = `/sales?search=${'x'.repeat(900)}`;
    const tabs: string[] = [];
    for (let tab = 0; tab < 3; tab += 1) {
      tabs.push(await browser.approach(`?return=${page}`));
      expect(browser.jar.get('refbridge_sign_in')?.length).toBeLessThan(4_000);
    }
    const [, second = '', third = ''] = tabs;
    for (const tab of [second, third]) expect((await browser.get(tab)).location).toBe(`/dashboard${page}`);
  });

  it('refuses an answer that names another provider, and an attempt that took too long', async () => {
    const browser = openBrowser(app);
    const callback = new URL(await browser.approach(), app.url);
    callback.searchParams.set('iss', 'https://accounts.example.com');
    expect(problemOf((await browser.get(callback.pathname + callback.search)).location)).toBe('invalid');
    const path = await browser.approach();
    const attempt = JSON.parse(Buffer.from(browser.jar.get('refbridge_sign_in') ?? '', 'base64url').toString());
    const old = JSON.stringify({ ...attempt, startedAt: attempt.startedAt - 601_000 });
    browser.jar.set('refbridge_sign_in', Buffer.from(old).toString('base64url'));
    expect(problemOf((await browser.get(path)).location)).toBe('expired');
  });

  it.each([
    'https://evil.example.com/',
    '//evil.example.com/',
    '/\\evil.example.com',
    '/\t/evil.example.com',
    '/../../portal',
    '/dashboard/../../portal',
    '/dashboard//evil.example.com',
    'sales',
    '\r\nSet-Cookie: a=b',
  ])('returns only to pages of the dashboard: %j', async (wanted) => {
    const end = await openBrowser(app).signIn(`?return=${encodeURIComponent(wanted)}`);
    expect(end.location).toMatch(/^\/dashboard\/(?!\/)/);
    const opened = new URL(end.location, app.url);
    expect([opened.origin, opened.pathname.startsWith('/dashboard/')]).toEqual([app.url, true]);
  });

  it.each([
    ['denied', 'access_denied'],
    ['provider_unavailable', 'temporarily_unavailable'],
    ['settings', 'unauthorized_client'],
  ])('says %s when the provider answers %s', async (problem, refusal) => {
    provider.conduct.refusal = refusal;
    expect(problemOf((await openBrowser(app).signIn('?return=/sales')).location)).toBe(problem);
  });

  it('says that the provider is down, at the start and on the way back, and recovers with it', async () => {
    const fresh = await createSignInApp('sqlite', provider);
    const { person } = await invitePerson(fresh, provider);
    provider.conduct.isDown = true;
    const start = await openBrowser(fresh).get('/dashboard/single-sign-on');
    expect(problemOf(start.location)).toBe('provider_unavailable');
    provider.reset(person);
    const browser = openBrowser(fresh);
    const callback = await browser.approach();
    provider.conduct.isDown = true;
    expect(problemOf((await browser.get(callback)).location)).toBe('provider_unavailable');
    provider.reset(person);
    expect((await browser.signIn()).location).toBe('/dashboard/');
    await fresh.close();
  });

  it.each(['/.well-known/openid-configuration', '/token', '/keys', '/userinfo'])(
    'reads 1 MiB of an answer of the provider that never ends: %s',
    async (path) => {
      const fresh = await createSignInApp('sqlite', provider, {
        log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
      });
      await invitePerson(fresh, provider);
      lines.length = 0;
      const browser = openBrowser(fresh);
      const callback = await browser.approach();
      Object.assign(provider.conduct, { endlessPath: path, emailOnlyInUserInfo: true });
      expect(problemOf((await browser.get(callback)).location)).toBe('settings');
      // a time limit would be reported as an unavailable provider
      expect(lines.join('')).toContain('the answer has more than 1 MiB');
      await fresh.close();
    },
  );

  it('says that the settings are wrong when the provider refuses the secret', async () => {
    const wrong = await createSignInApp('sqlite', provider, {
      service: { singleSignOn: { ...provider.settings, clientSecret: 'wrong' } },
    });
    await invitePerson(wrong, provider);
    expect(problemOf((await openBrowser(wrong).signIn()).location)).toBe('settings');
    await wrong.close();
  });

  it('limits attempts per address, like sign-ins with a password', async () => {
    const headers = freshAddress();
    const statuses = [];
    for (let attempt = 0; attempt < 11; attempt++) {
      const response = await fetch(`${app.url}${CALLBACK}?code=a&state=b`, { redirect: 'manual', headers });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([...Array(10).fill(302), 429]);
  });

  it('leaves no secret in the log', async () => {
    const browser = openBrowser(app);
    const callback = await browser.approach();
    const attempt = JSON.parse(Buffer.from(browser.jar.get('refbridge_sign_in') ?? '', 'base64url').toString());
    await browser.get(callback);
    provider.conduct.algorithm = 'none';
    await openBrowser(app).signIn();
    const text = lines.join('');
    expect(text).toContain('single sign-on failed');
    const code = new URL(callback, app.url).searchParams.get('code');
    const secrets = [attempt.state, attempt.nonce, attempt.codeVerifier, code, provider.settings.clientSecret, 'eyJ'];
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it('leaves no e-mail address in the log, whether as the subject or in what the provider says', async () => {
    const { email } = await invitePerson(app, provider);
    lines.length = 0;
    const browser = openBrowser(app);
    const callback = new URL(await browser.approach(), app.url);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_description', `The signed in user '${email}' is not assigned to a role`);
    expect(problemOf((await browser.get(callback.pathname + callback.search)).location)).toBe('denied');
    provider.reset({ sub: 'zoe@example.com', email: 'zoe@example.com', email_verified: true });
    expect(problemOf((await openBrowser(app).signIn()).location)).toBe('not_invited');
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /^single sign-on/.test(msg));
    expect(logged).toMatchObject([
      { problem: 'denied', reason: expect.stringContaining("'[e-mail address]'") },
      { problem: 'not_invited', subject: '[e-mail address]' },
    ]);
    for (const address of [email, 'zoe@example.com']) expect(lines.join('')).not.toContain(address);
  });

  it('is offered only where it is configured', async () => {
    expect((await app.call('GET', '/api/sign-in-methods', { key: null })).body).toEqual({
      password: true,
      singleSignOn: true,
    });
    const without = await createTestApp('sqlite');
    const methods = await without.call('GET', '/api/sign-in-methods', { key: null });
    expect(methods.body).toEqual({ password: true, singleSignOn: false });
    for (const path of ['/dashboard/single-sign-on', `${CALLBACK}?code=a&state=b`]) {
      const answer = await without.call('GET', path, { key: null });
      expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('set OIDC_ISSUER')]);
    }
    await without.close();
  });
});
