import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { startOpenIdProvider, type TestProvider } from '../helpers/open-id-provider.ts';
import { callWith, createOperator, freshAddress, type SignedIn } from '../helpers/operators.ts';
import { createSignInApp, invitePerson, openBrowser, problemOf } from '../helpers/sign-in-browser.ts';
import { unique } from '../helpers/story.ts';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startOpenIdProvider();
});
afterAll(() => provider.close());

describe.each(engines)('single sign-on, on %s', (engine) => {
  let app: TestApp;
  let owner: SignedIn;
  beforeAll(async () => {
    app = await createSignInApp(engine, provider);
    owner = await createOperator(app);
  });
  afterAll(() => app.close());

  it.each(['RS256', 'ES256'] as const)(
    'opens a session for an operator, with a token signed by %s',
    async (algorithm) => {
      const { id, email } = await invitePerson(app, provider);
      provider.conduct.algorithm = algorithm;
      const browser = openBrowser(app);
      const end = await browser.signIn('?return=/sales%3Fstatus%3Dpending');
      expect([end.status, end.location]).toEqual([302, '/dashboard/sales?status=pending']);
      const session = end.headers.getSetCookie().find((cookie) => cookie.startsWith('refbridge_session='));
      expect(session).toMatch(/; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Strict$/);
      expect([...browser.jar.keys()]).toEqual(['refbridge_session']);
      expect((await browser.call('GET', '/api/session')).body.operator).toMatchObject({ id, email, role: 'member' });
      const [listed] = (await browser.call('GET', '/api/sessions')).body.data;
      expect(listed).toMatchObject({ operatorId: id, openedBy: 'single_sign_on', isCurrent: true });
      const log = (await owner.call('GET', `/api/audit-log?operatorId=${id}`)).body.data;
      expect(log).toMatchObject([
        { action: 'session.create', changes: { openedBy: { before: null, after: 'single_sign_on' } } },
        { action: 'operator.link', resourceId: id, changes: { issuer: { after: provider.settings.issuer } } },
      ]);
    },
  );

  it('recognizes the person when the address has changed on both sides', async () => {
    const { id, person } = await invitePerson(app, provider);
    const first = openBrowser(app);
    await first.signIn();
    await callWith(app, `refbridge_session=${first.jar.get('refbridge_session')}`)('PATCH', '/api/session', {
      body: { email: `${unique('new')}@example.com` },
      headers: freshAddress(),
    });
    provider.reset({ sub: person.sub, email: `${unique('other')}@example.com`, email_verified: false });
    const again = openBrowser(app);
    expect((await again.signIn()).location).toBe('/dashboard/');
    expect((await again.call('GET', '/api/session')).body.operator.id).toBe(id);
  });

  it('refuses a person who has the address of a linked operator, until the operator is invited again', async () => {
    const { id, person } = await invitePerson(app, provider);
    await openBrowser(app).signIn();
    provider.reset({ ...person, sub: unique('sub') });
    const heir = openBrowser(app);
    expect(problemOf((await heir.signIn()).location)).toBe('linked_to_another');
    expect(heir.jar.size).toBe(0);
    expect((await owner.call('DELETE', `/api/operators/${id}`)).status).toBe(204);
    expect(problemOf((await heir.signIn()).location)).toBe('not_invited');
    const body = { name: 'Heir', email: person.email, role: 'viewer' };
    await owner.call('POST', '/api/operators', { body });
    expect((await heir.signIn()).location).toBe('/dashboard/');
    expect((await heir.call('GET', '/api/session')).body.operator.role).toBe('viewer');
  });

  it.each([
    ['says that it is not', false],
    ['says nothing', undefined],
    ['says it as text', 'true'],
  ])('refuses an address that the provider has not verified: it %s', async (_, verified) => {
    const { id, person } = await invitePerson(app, provider);
    const { email_verified: _verified, ...silent } = person;
    provider.reset(verified === undefined ? silent : { ...silent, email_verified: verified });
    expect(problemOf((await openBrowser(app).signIn()).location)).toBe('email_unverified');
    expect((await owner.call('GET', `/api/audit-log?operatorId=${id}`)).body.data).toEqual([]);
  });

  it('reads the address from the userinfo endpoint when the token has none', async () => {
    const { id } = await invitePerson(app, provider);
    provider.conduct.emailOnlyInUserInfo = true;
    const browser = openBrowser(app);
    await browser.signIn();
    expect((await browser.call('GET', '/api/session')).body.operator.id).toBe(id);
  });

  it('reads from the userinfo endpoint whether the address is verified when the token does not say', async () => {
    const { id, email, person } = await invitePerson(app, provider);
    provider.conduct.claims = { email_verified: undefined };
    const browser = openBrowser(app);
    await browser.signIn();
    expect((await browser.call('GET', '/api/session')).body.operator.id).toBe(id);
    // what is verified there is the address there
    await invitePerson(app, provider);
    provider.conduct.claims = { email, email_verified: undefined };
    provider.conduct.person = { ...person, email: `${unique('other')}@example.com`, sub: unique('sub') };
    expect(problemOf((await openBrowser(app).signIn()).location)).toBe('not_invited');
  });

  it('makes nobody an operator', async () => {
    const before = (await owner.call('GET', '/api/operators?limit=100')).body.data.length;
    provider.reset({ sub: unique('sub'), email: `${unique('stranger')}@example.com`, email_verified: true });
    expect(problemOf((await openBrowser(app).signIn()).location)).toBe('not_invited');
    expect((await owner.call('GET', '/api/operators?limit=100')).body.data.length).toBe(before);
  });

  it('opens the requested account for an operator of two accounts', async () => {
    const { id, email } = await invitePerson(app, provider);
    const other = await app.addAccount('Second Ltd');
    const second = await createOperator(app, 'owner', other.accountId);
    const body = { name: 'The same', email };
    const twin = (await second.call('POST', '/api/operators', { body })).body.operator.id;
    for (const [account, expected] of [
      [other.accountId, twin],
      [app.accountId, id],
      [other.accountId, twin],
    ]) {
      const browser = openBrowser(app);
      await browser.signIn(`?account=${account}`);
      expect((await browser.call('GET', '/api/session')).body.operator.id).toBe(expected);
    }
  });

  it('opens an account that has invited the person later, once it was requested', async () => {
    const { id, email } = await invitePerson(app, provider);
    const enter = async (wish = '') => {
      const browser = openBrowser(app);
      await browser.signIn(wish);
      return (await browser.call('GET', '/api/session')).body.operator.id;
    };
    expect(await enter()).toBe(id);
    const other = await app.addAccount('Fifth Ltd');
    const second = await createOperator(app, 'owner', other.accountId);
    const twin = (await second.call('POST', '/api/operators', { body: { name: 'The same', email } })).body.operator.id;
    expect([await enter(), await enter(`?account=${other.accountId}`), await enter()]).toEqual([id, twin, twin]);
  });

  it('signs a person in where they were invited, and not where another operator has set their address', async () => {
    const other = await app.addAccount('Third Ltd');
    const mallory = await createOperator(app, 'viewer', other.accountId);
    const { id, email } = await invitePerson(app, provider);
    const set = await mallory.call('PATCH', '/api/session', { body: { email }, headers: freshAddress() });
    expect(set.status).toBe(200);
    const browser = openBrowser(app);
    await browser.signIn();
    expect((await browser.call('GET', '/api/session')).body.operator.id).toBe(id);
    expect(problemOf((await openBrowser(app).signIn(`?account=${other.accountId}`)).location)).toBe('not_confirmed');
  });

  it('accepts an address that an operator has set once an owner creates another sign-in address for them', async () => {
    const member = await createOperator(app, 'member');
    const email = `${unique('own')}@example.com`;
    await member.call('PATCH', '/api/session', { body: { email }, headers: freshAddress() });
    provider.reset({ sub: unique('sub'), email, email_verified: true });
    const browser = openBrowser(app);
    expect(problemOf((await browser.signIn()).location)).toBe('not_confirmed');
    await owner.call('PATCH', `/api/operators/${member.id}`, { body: { role: 'viewer' } });
    await member.call('PATCH', '/api/session', { body: { name: 'Renamed' }, headers: freshAddress() });
    expect(problemOf((await browser.signIn()).location)).toBe('not_confirmed');
    expect((await owner.call('POST', `/api/operators/${member.id}/sign-in-url`)).status).toBe(201);
    expect((await browser.signIn()).location).toBe('/dashboard/');
    expect((await browser.call('GET', '/api/session')).body.operator.id).toBe(member.id);
  });

  it('recognizes the person afterwards in every account that has invited them', async () => {
    const { id, email, person } = await invitePerson(app, provider);
    const other = await app.addAccount('Fourth Ltd');
    const second = await createOperator(app, 'owner', other.accountId);
    const twin = (await second.call('POST', '/api/operators', { body: { name: 'The same', email } })).body.operator.id;
    await openBrowser(app).signIn();
    provider.reset({ ...person, email: `${unique('new')}@example.com` });
    for (const [account, expected] of [
      [other.accountId, twin],
      [app.accountId, id],
    ]) {
      const browser = openBrowser(app);
      await browser.signIn(`?account=${account}`);
      expect((await browser.call('GET', '/api/session')).body.operator.id).toBe(expected);
    }
  });
});
