import { dubAnalytics } from '@dub/better-auth';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { dubFor } from './dub.ts';

const SITE = 'http://localhost:3000';

/** A product with sign-up by e-mail, whose users are kept in memory. */
function createProduct(app: TestApp) {
  return betterAuth({
    baseURL: SITE,
    secret: 'only for this test, and long enough for it',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
    // the plugin's types are for an earlier better-auth
    plugins: [dubAnalytics({ dubClient: dubFor(app, app.apiKey) as never }) as never],
  });
}

describe('@dub/better-auth', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());

  const signUp = async (cookie: string | null) => {
    const user = { name: 'Mara', email: `${unique('mara')}@example.com`, password: 'correct horse battery' };
    const response = await createProduct(app).handler(
      new Request(`${SITE}/api/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: SITE, ...(cookie === null ? {} : { cookie }) },
        body: JSON.stringify(user),
      }),
    );
    const { user: created } = (await response.json()) as { user: { id: string } };
    const leads = await app.call('GET', `/api/leads?customerExternalId=${created.id}`);
    return { response, user, leads: leads.body.data };
  };

  it('reports the lead of a new user from the cookie alias dub_id, and deletes that cookie', async () => {
    const clickId = await (await createReferrer(app)).click();
    const { response, user, leads } = await signUp(`svc_id=${clickId}; dub_id=${clickId}`);
    expect(response.status).toBe(200);
    expect(leads).toMatchObject([{ eventName: 'Sign Up', clickId, customer: { name: 'Mara', email: user.email } }]);
    expect(response.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^dub_id=;.*Max-Age=0/));
  });

  it('signs a user up without a click, and with an unknown click', async () => {
    for (const cookie of [null, 'dub_id=clk_unknown']) {
      const { response, leads } = await signUp(cookie);
      expect([response.status, leads]).toEqual([200, []]);
    }
  });
});
