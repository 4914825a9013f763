import { expect } from 'vitest';
import type { ServiceParts } from '../../src/app/service.ts';
import { createTestApp, type TestApp, type TestAppOptions } from './app.ts';
import type { Engine } from './databases.ts';
import { freePort } from './free-port.ts';
import type { TestProvider } from './open-id-provider.ts';
import { callWith, freshAddress, invite } from './operators.ts';
import { unique } from './story.ts';

/** A service whose operators may sign in at the provider. */
export async function createSignInApp(
  engine: Engine,
  provider: TestProvider,
  { service, ...options }: TestAppOptions = {},
): Promise<TestApp> {
  const port = await freePort();
  const parts: Partial<ServiceParts> = {
    baseUrl: `http://127.0.0.1:${port}`,
    singleSignOn: provider.settings,
    ...service,
  };
  return createTestApp(engine, { port, trustProxy: 1, ...options, service: parts });
}

/** A browser that keeps the cookies of this service, and follows no redirects by itself. */
export function openBrowser(app: TestApp) {
  const jar = new Map<string, string>();
  const get = async (path: string) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(app.url + path, { redirect: 'manual', headers: { cookie, ...freshAddress() } });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';')[0]?.split('=') ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return { status: response.status, location: response.headers.get('location') ?? '', headers: response.headers };
  };
  /** From the button to the callback's address, which is not opened yet. */
  const approach = async (query = '') => {
    const start = await get(`/dashboard/single-sign-on${query}`);
    const { headers } = await fetch(start.location, { redirect: 'manual' });
    const callback = new URL(headers.get('location') ?? '');
    expect(callback.origin).toBe(app.url);
    return callback.pathname + callback.search;
  };
  return {
    jar,
    get,
    approach,
    signIn: async (query = '') => get(await approach(query)),
    call: (method: string, path: string) =>
      callWith(app, [...jar].map(([name, value]) => `${name}=${value}`).join('; '))(method, path),
  };
}

/** An operator, who is the provider's only person. */
export async function invitePerson(app: TestApp, provider: TestProvider) {
  const { id, email } = await invite(app, 'member');
  const person = { sub: unique('sub'), email, email_verified: true };
  provider.reset(person);
  return { id, email, person };
}

/** The problem that the sign-in page receives; another address is returned unchanged. */
export function problemOf(location: string): string | null {
  const url = new URL(location, 'http://127.0.0.1');
  return url.pathname === '/dashboard/sign-in' ? url.searchParams.get('problem') : location;
}
