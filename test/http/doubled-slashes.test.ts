import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutDoubledSlashes } from '../../src/http/own-url.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';
import { clickIdIn, createLink, visit } from '../helpers/visitors.ts';

describe('a URL with doubled slashes', () => {
  it.each([
    ['//api/track/lead', '/api/track/lead'],
    ['/api//track///lead//?a=//b', '/api/track/lead/?a=//b'],
    ['//compat//dub/links', '/compat/dub/links'],
    ['//embed/referrals?token=x//y', '/embed/referrals?token=x//y'],
    ['//webhooks/stripe/whe_1', '/webhooks/stripe/whe_1'],
    ['//api', '/api'],
    ['/api/customers/a%2F%2Fb', '/api/customers/a%2F%2Fb'],
    ['//anna', '/anna'],
    ['/anna//', '/anna/'],
    ['//script.js', '/script.js'],
    ['//evil.example.com/api', '/evil.example.com/api'],
    ['/anna?next=//api/x', '/anna?next=//api/x'],
    ['//metrics?x', '//metrics?x'],
    ['//metrics#/metrics', '//metrics#/metrics'],
  ])('%s is %s', (sent, meant) => {
    expect(withoutDoubledSlashes(sent)).toBe(meant);
  });
});

describe('a URL with a doubled or trailing slash', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());

  it('is answered by the same route, without a redirect, and with its credential', async () => {
    const { click } = await createReferrer(app);
    for (const path of ['//api/track/lead', '/api//track/lead', '/api/track/lead/', '/compat/dub//track/lead//']) {
      const body = { clickId: await click(), eventName: 'Sign up', customerExternalId: unique('user') };
      expect((await app.call('POST', path, { body })).status, path).toBe(200);
      expect((await app.call('POST', path, { body, key: null })).status, path).toBe(401);
    }
    const link = await createLink(app);
    const body = { domain: new URL(app.url).host, key: link.key };
    expect((await app.call('POST', '//api/track/click/', { body, key: null })).body.key).toBe(link.key);
  });

  it('gets the answer of the exact path, without Express', async () => {
    const changing = ['content-length', 'date', 'ratelimit', 'x-request-id'];
    const answer = async (path: string) => {
      const { status, body, headers } = await app.call('GET', path);
      const kept = [...headers].filter(([name]) => !changing.includes(name));
      return { status, headers: Object.fromEntries(kept), data: body.data, code: body.error?.code };
    };
    for (const query of ['', '?limit=2', '?limit=two', '?limit=2&limit=3', '?x=1', '?limit=%31']) {
      const exact = await answer(`/api/partners${query}`);
      expect(exact, query).toEqual(await answer(`/api/partners/${query}`));
      expect(exact.headers['content-security-policy']).toContain("default-src 'self'");
    }
  });

  it('leaves a signed delivery unchanged', async () => {
    const referrer = await createReferrer(app);
    const customer = unique('user');
    await referrer.lead(customer);
    const endpoint = await createEndpoint(app, 'stripe');
    const payload = checkoutCompleted({ externalId: customer });
    const first = await endpoint.deliver(payload, undefined, `${app.url}//`);
    expect([first.status, first.body.outcome]).toEqual([200, 'sale']);
    const again = await endpoint.deliver(payload);
    expect([again.status, again.body.outcome]).toEqual([200, 'duplicate']);
  });

  it('leads to the link, with a click', async () => {
    const link = await createLink(app);
    for (const path of [`/${link.key}`, `/${link.key}/`, `//${link.key}`, `/${link.key}//`])
      expect(clickIdIn(await visit(app, path)), path).not.toBeNull();
  });

  it('is answered by the script, the pages and the health checks', async () => {
    for (const path of ['//script.js', '//dashboard/', '/docs//api', '//health//ready'])
      expect((await app.call('GET', path, { key: null })).status, path).toBe(200);
  });

  it('redirects nobody to a host that it seems to name', async () => {
    const { status, headers } = await visit(app, '//evil.example.com/shop');
    expect([status, headers.get('location')]).toEqual([404, null]);
  });
});
