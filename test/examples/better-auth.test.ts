import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createShop } from '../../examples/better-auth/app.ts';
import { refbridge } from '../../src/better-auth/index.ts';
import { type Client, createClient } from '../../src/client/index.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { freePort } from '../helpers/free-port.ts';
import { type LocalServer, serveNode } from '../helpers/serve-fetch.ts';
import { clickThrough } from '../helpers/story.ts';
import { createLink, visit } from '../helpers/visitors.ts';

const ORIGIN = 'https://shop.example.com';

let app: TestApp;
let clickId: string;
beforeAll(async () => {
  app = await createTestApp('sqlite');
  const link = await createLink(app);
  clickId = await clickThrough(() => visit(app, `/${link.key}`));
});
afterAll(() => app.close());

const clientOf = (baseUrl = app.url, timeoutMs = 20_000) => createClient({ baseUrl, apiKey: app.apiKey, timeoutMs });

let site: LocalServer | null = null;
afterEach(async () => {
  await site?.close();
  site = null;
});

async function serve(refbridge: Pick<Client, 'trackLead'>): Promise<string> {
  site = await serveNode(createShop(refbridge, { baseURL: ORIGIN, domain: 'example.com' }));
  return site.url;
}

async function signUp(url: string, email: string, cookie: string) {
  const response = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN, 'x-forwarded-host': 'shop.example.com', cookie },
    body: JSON.stringify({ name: 'Ida', email, password: 'correct horse battery' }),
  });
  const body = (await response.json()) as { user: { id: string } };
  const cookies = response.headers.getSetCookie();
  return {
    status: response.status,
    userId: body.user?.id,
    cookies,
    ofClick: cookies.filter((c) => /^svc_id=/.test(c)),
  };
}

it('the first page of a visit sets the cookie of the click', async () => {
  const { headers } = await fetch(`${await serve(clientOf())}/?svc_id=${clickId}`);
  expect(headers.getSetCookie()).toEqual([expect.stringMatching(new RegExp(`^svc_id=${clickId};`))]);
});

describe('a sign-up with Better Auth', () => {
  it('is a lead of the click in the cookie, which is then deleted', async () => {
    const url = await serve(clientOf());
    const { status, userId, cookies, ofClick } = await signUp(url, 'ida@example.com', `svc_id=${clickId}`);
    expect(status).toBe(200);
    const { body } = await app.call('GET', `/api/customers/${userId}`);
    expect(body).toMatchObject({ clickId, email: 'ida@example.com', name: 'Ida' });
    expect(ofClick).toEqual(['svc_id=; Max-Age=0; Path=/', 'svc_id=; Max-Age=0; Domain=example.com; Path=/']);
    expect(cookies.some((cookie) => cookie.includes('session_token'))).toBe(true);
  });

  it('without a click is not a lead', async () => {
    const url = await serve(clientOf());
    const { status, userId, ofClick } = await signUp(url, 'nobody@example.com', 'theme=dark');
    expect([status, ofClick]).toEqual([200, []]);
    expect((await app.call('GET', `/api/customers/${userId}`)).status).toBe(404);
  });

  it('succeeds while the service is down, and keeps the cookie for the first sale', async () => {
    const url = await serve(clientOf(`http://127.0.0.1:${await freePort()}`, 300));
    const { status, ofClick } = await signUp(url, 'down@example.com', `svc_id=${clickId}`);
    expect([status, ofClick]).toEqual([200, []]);
  });

  it('keeps the cookie of a lead that the service refuses', async () => {
    const url = await serve(clientOf());
    const { status, ofClick } = await signUp(url, 'refused@example.com', 'svc_id=clk_unknown');
    expect([status, ofClick]).toEqual([200, []]);
  });

  it('succeeds whatever the client does', async () => {
    const url = await serve({ trackLead: () => Promise.reject(new Error('a bug')) });
    expect((await signUp(url, 'bug@example.com', `svc_id=${clickId}`)).status).toBe(200);
  });

  it('that fails is not a lead', async () => {
    const url = await serve(clientOf());
    await signUp(url, 'taken@example.com', '');
    const { status, ofClick } = await signUp(url, 'taken@example.com', `svc_id=${clickId}`);
    expect([status, ofClick]).toEqual([422, []]);
  });
});

describe('a user in a Better Auth event', () => {
  it.each([
    ['whom an administrator creates, with a cookie of their own,', { id: 'user_1' }, '/admin/create-user'],
    ['who is anonymous', { id: 'user_1', isAnonymous: true }, '/sign-in/anonymous'],
  ])('%s is not a lead', async (_what, user, path) => {
    const leads: unknown[] = [];
    const trackLead = async (lead: unknown) => {
      leads.push(lead);
      return { ok: true as const, status: 'skipped' as const };
    };
    const { after: created } = refbridge({ client: { trackLead } }).init().options.databaseHooks.user.create;
    const headers = new Headers({ cookie: `svc_id=${clickId}` });
    await created(user, { path, headers, setCookie: () => undefined });
    expect(leads).toEqual([]);
    await created({ id: 'user_2' }, { path: '/callback/:id', headers, setCookie: () => undefined });
    expect(leads).toHaveLength(1);
  });

  it('whose click is in another cookie is a lead, which deletes that cookie, too', async () => {
    const deleted: string[] = [];
    const trackLead = async () => ({ ok: true as const, status: 'skipped' as const });
    const plugin = refbridge({ client: { trackLead }, cookieAliases: ['refp_id'] });
    const headers = new Headers({ cookie: `refp_id=${clickId}` });
    const setCookie = (name: string) => deleted.push(name);
    const context = { path: '/sign-up/email', headers, setCookie };
    await plugin.init().options.databaseHooks.user.create.after({ id: 'user_3' }, context);
    expect(deleted).toEqual(['svc_id', 'refp_id']);
  });
});
