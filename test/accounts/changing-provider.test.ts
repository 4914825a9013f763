import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../helpers/app.ts';
import { newSigningKey, startOpenIdProvider, type TestProvider } from '../helpers/open-id-provider.ts';
import { createSignInApp, invitePerson, openBrowser } from '../helpers/sign-in-browser.ts';

const HOUR_MS = 3_600_000;

describe('a provider that changes', () => {
  let provider: TestProvider;
  let app: TestApp;
  let aheadMs = 0;
  beforeAll(async () => {
    provider = await startOpenIdProvider();
    app = await createSignInApp('sqlite', provider, { service: { clock: () => Date.now() + aheadMs } });
  });
  afterEach(() => {
    aheadMs = 0;
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  it.each([
    ['under a new name', 'key-2'],
    ['under the same name', 'RS256'],
  ])(
    'its key, which it publishes %s, refuses nobody: not even right after a sign-in with the old one',
    async (_, kid) => {
      await invitePerson(app, provider);
      expect((await openBrowser(app).signIn()).location).toBe('/dashboard/');
      const waiting = openBrowser(app);
      const callback = await waiting.approach();
      provider.conduct.signingKey = newSigningKey(kid);
      expect((await waiting.get(callback)).location).toBe('/dashboard/');
      expect((await openBrowser(app).signIn()).location).toBe('/dashboard/');
    },
  );

  it.each([
    ['an hour later', 0, HOUR_MS],
    ['when the clock, which was ahead, is right again', 48 * HOUR_MS, 0],
  ])('its address is asked for it again %s', async (_, firstMs, thenMs) => {
    await invitePerson(app, provider);
    aheadMs = firstMs;
    const before = (await openBrowser(app).get('/dashboard/single-sign-on')).location;
    const moved = `${provider.settings.issuer}/moved`;
    provider.conduct.described = { authorization_endpoint: moved };
    expect(before.startsWith(moved)).toBe(false);
    aheadMs = thenMs;
    expect((await openBrowser(app).get('/dashboard/single-sign-on')).location.startsWith(moved)).toBe(true);
  });
});
