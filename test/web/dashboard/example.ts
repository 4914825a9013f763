import { createLoginLink } from '../../../src/accounts/login-link.ts';
import type { ServiceParts } from '../../../src/app/service.ts';
import { createPerformance } from '../../../src/cli/demo/performance.ts';
import { furnishWithHistory } from '../../../src/cli/demo/stage.ts';
import { tellStories } from '../../../src/cli/demo/stories.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { freePort } from '../../helpers/free-port.ts';

/** A service whose address a browser can open, with a clock that the test may move. */
export interface BrowserApp {
  app: TestApp;
  clock: { now: number };
}

export async function createBrowserApp(overrides: Partial<ServiceParts> = {}): Promise<BrowserApp> {
  const port = await freePort();
  const clock = { now: 0 };
  const app = await createTestApp('sqlite', {
    port,
    trustProxy: 1,
    service: { baseUrl: `http://127.0.0.1:${port}`, clock: () => clock.now || Date.now(), ...overrides },
  });
  return { app, clock };
}

/** A one-time address that signs in the first owner of the app's own account. */
export async function signInUrlOf({ service, accountId }: Pick<TestApp, 'service' | 'accountId'>): Promise<string> {
  const firstOwner = { name: 'Olga Owner', email: 'olga@example.com' };
  return (await createLoginLink(service, accountId, { operator: null, firstOwner })).url;
}

/**
 * The demo's account after a year of business, with today's story. Returns a function that creates addresses that sign
 * its owner in.
 */
export async function playExample({ app }: BrowserApp): Promise<() => Promise<string>> {
  const { service, url } = app;
  const { accountId, ...stage } = await furnishWithHistory(service, Date.now());
  await tellStories(createPerformance({ url, ...stage }, () => {}));
  return () => signInUrlOf({ service, accountId });
}
