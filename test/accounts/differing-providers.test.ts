import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { discoverProvider } from '../../src/accounts/open-id-provider.ts';
import type { TestApp } from '../helpers/app.ts';
import { startOpenIdProvider, type TestProvider } from '../helpers/open-id-provider.ts';
import { createSignInApp, invitePerson, openBrowser, problemOf } from '../helpers/sign-in-browser.ts';
import { unique } from '../helpers/story.ts';

const BOTH = ['client_secret_basic', 'client_secret_post'];

describe('an OpenID provider that differs from others', () => {
  let provider: TestProvider;
  let app: TestApp;
  const lines: string[] = [];
  beforeAll(async () => {
    provider = await startOpenIdProvider();
    app = await createSignInApp('sqlite', provider, {
      log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
    });
  });
  beforeEach(async () => {
    await invitePerson(app, provider);
    lines.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const reasons = () => lines.map((line) => JSON.parse(line).reason).filter((reason) => reason !== undefined);

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'may offer two ways to send the secret, and accept only %s from this client',
    async (secretBy) => {
      Object.assign(provider.conduct, { secretBy, described: { token_endpoint_auth_methods_supported: BOTH } });
      for (let time = 0; time < 2; time += 1) expect((await openBrowser(app).signIn()).location).toBe('/dashboard/');
      expect(reasons()).toEqual([]);
    },
  );

  it('may refuse the first way to send the secret and end the code: the next sign-in begins with the other way', async () => {
    const fresh = await createSignInApp('sqlite', provider);
    await invitePerson(fresh, provider);
    const described = { token_endpoint_auth_methods_supported: BOTH };
    Object.assign(provider.conduct, { secretBy: 'client_secret_basic', endsCodesEarly: true, described });
    expect(problemOf((await openBrowser(fresh).signIn()).location)).toBe('expired');
    expect((await openBrowser(fresh).signIn()).location).toBe('/dashboard/');
    await fresh.close();
  });

  it('may refuse this client, which nobody can pretend by the address that a browser returns to', async () => {
    const described = { token_endpoint_auth_methods_supported: BOTH };
    Object.assign(provider.conduct, { secretBy: 'client_secret_post', endsCodesEarly: true, described });
    await openBrowser(app).signIn();
    const stranger = openBrowser(app);
    const callback = new URL(await stranger.approach(), app.url);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'invalid_client');
    expect(problemOf((await stranger.get(callback.pathname + callback.search)).location)).toBe('settings');
    expect((await openBrowser(app).signIn()).location).toBe('/dashboard/');
  });

  it.each([undefined, []])('may not say how it takes the secret: %s', async (methods) => {
    const described = { token_endpoint_auth_methods_supported: methods };
    Object.assign(provider.conduct, { secretBy: 'client_secret_post', described });
    expect((await openBrowser(app).signIn()).location).toBe('/dashboard/');
  });

  it('may sign tokens with the secret, which is a question of its settings', async () => {
    provider.conduct.algorithm = 'HS256';
    provider.conduct.described = { id_token_signing_alg_values_supported: ['RS256', 'HS256'] };
    expect(problemOf((await openBrowser(app).signIn()).location)).toBe('settings');
    expect(reasons()).toEqual([expect.stringMatching(/unsupported JWS algorithm HS256$/)]);
  });

  it('may send no e-mail address, which nobody can verify', async () => {
    provider.reset({ sub: unique('sub'), email_verified: true });
    expect(problemOf((await openBrowser(app).signIn()).location)).toBe('email_missing');
  });

  it.each([
    ['takes secrets in another way', { token_endpoint_auth_methods_supported: ['private_key_jwt'] }, 'private_key_jwt'],
    ['only publishes keys', { authorization_endpoint: undefined }, 'the provider describes no authorization_endpoint'],
    ['calls itself otherwise', { issuer: 'https://id.example.com/realms/x/' }, 'https://id.example.com/realms/x/'],
  ])('and %s is refused before anybody is sent there', async (_, described, reason) => {
    provider.conduct.described = described;
    const fresh = await createSignInApp('sqlite', provider, {
      log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
    });
    const start = await openBrowser(fresh).get('/dashboard/single-sign-on');
    expect(problemOf(start.location)).toBe('settings');
    expect(reasons()).toEqual([expect.stringContaining(reason)]);
    await fresh.close();
  });

  it('and does not exist at the given address is a question of the settings, with its status', async () => {
    const issuer = `${provider.settings.issuer}/realms/x`;
    const found = discoverProvider({ ...provider.settings, issuer });
    await expect(found).rejects.toMatchObject({ problem: 'settings', message: expect.stringMatching(/status 404$/) });
  });
});
