import type { Browser, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { clicksOf, createLink, type TestLink } from './links.ts';
import { createSite, type Site, type SiteOptions } from './site.ts';
import { newVisitor, type Visitor } from './visitor.ts';

const EARLIER = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';

let app: TestApp;
let browser: Browser;
let visitor: Visitor;
let link: TestLink;
const sites: Site[] = [];

beforeAll(async () => {
  [app, browser] = await Promise.all([createTestApp('sqlite'), sharedChromium()]);
});
afterAll(async () => {
  await closePages(browser);
  await app.close();
});
beforeEach(async ({ task }) => {
  visitor = await newVisitor(browser);
  link = await createLink(app, `anna-${task.id.replaceAll('_', '')}`, 'https://shop.example.com/');
});
afterEach(async () => {
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
  await Promise.all(sites.splice(0).map((site) => site.close()));
});

async function siteWith(options: SiteOptions = {}): Promise<Site> {
  const site = await createSite(app.url, options);
  sites.push(site);
  return site;
}

describe('a page with ?via=<key>', () => {
  it('records the click with the service, stores it, and cleans the URL', async () => {
    const site = await siteWith();
    await visitor.page.goto(`${site.url}/lamps?a=1&via=${link.key}#top`, { referer: 'https://blog.example.com/best' });
    const clickId = await visitor.ready();
    expect(clickId).toMatch(/^clk_/);
    expect(await visitor.cookie()).toMatchObject({ value: clickId, domain: 'localhost', sameSite: 'Lax' });
    expect(visitor.page.url()).toBe(`${site.url}/lamps?a=1#top`);
    expect(await clicksOf(app, link)).toBe(1);

    const lead = { clickId, eventName: 'Sign up', customerExternalId: `user of ${link.key}` };
    const { status, body } = await app.call('POST', '/api/track/lead', { body: lead });
    expect([status, body.link?.key]).toEqual([200, link.key]);
  });

  it('counts once, however often the page is reloaded', async () => {
    const site = await siteWith();
    await visitor.page.goto(`${site.url}/?via=${link.key}`);
    const clickId = await visitor.ready();
    await visitor.page.reload();
    expect(await visitor.ready()).toBe(clickId);
    expect(await clicksOf(app, link)).toBe(1);
  });

  it('replaces an earlier click, but not with first-click', async () => {
    for (const [attributes, expected] of [
      ['', expect.not.stringContaining(EARLIER)],
      ['data-model="first-click"', EARLIER],
    ] as const) {
      const site = await siteWith({ attributes });
      await visitor.context.addCookies([{ name: 'svc_id', value: EARLIER, url: site.url }]);
      await visitor.page.goto(`${site.url}/?via=${link.key}`);
      expect(await visitor.ready()).toEqual(expected);
      expect(visitor.page.url()).toBe(`${site.url}/`);
    }
  });

  it('may rename the parameter with data-via, or switch it off', async () => {
    const renamed = await siteWith({ attributes: 'data-via="partner"' });
    await visitor.page.goto(`${renamed.url}/?via=nobody&partner=${link.key}`);
    expect(await visitor.ready()).toMatch(/^clk_/);
    expect(visitor.page.url()).toBe(`${renamed.url}/?via=nobody`);
    await visitor.page.evaluate('window.refbridge.reset()');

    const off = await siteWith({ attributes: 'data-via="false"' });
    await visitor.page.goto(`${off.url}/?via=${link.key}`);
    expect(await visitor.ready()).toBeNull();
    expect(await clicksOf(app, link)).toBe(1);
  });

  it('may take the names from the program with data-via="auto"', async () => {
    const site = await siteWith({ attributes: 'data-via="auto"' });
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { viaParameters: ['ref'] } });
    const asked = visitor.page.waitForRequest('**/api/track/click');
    await visitor.page.goto(`${site.url}/?utm_source=mail&email=a@b.example&page=2&ref=${link.key}`);
    expect(await visitor.ready()).toMatch(/^clk_/);
    expect((await asked).postDataJSON().parameters).toEqual({ page: '2', ref: link.key });
    expect(visitor.page.url()).toBe(`${site.url}/?utm_source=mail&email=a@b.example&page=2`);
    expect(await clicksOf(app, link)).toBe(1);
  });

  it('stores a click beside parameters that are not in UTF-8', async () => {
    for (const attributes of ['', 'data-via="auto"']) {
      const site = await siteWith({ attributes });
      await visitor.page.goto(`${site.url}/?utm_campaign=50%off&via=%E9&svc_id=${EARLIER}&q=caf%E9`);
      expect(await visitor.ready()).toBe(EARLIER);
      expect(visitor.page.url()).toBe(`${site.url}/?utm_campaign=50%off&via=%E9&q=caf%E9`);
      await visitor.page.evaluate('window.refbridge.reset()');
    }
  });

  it('may name links of another domain than the service', async () => {
    const partner = await app.call('POST', '/api/partners', {
      body: { name: 'Bo', email: `${link.key}.bo@example.com` },
    });
    const elsewhere = {
      partnerId: partner.body.id,
      domain: 'go.example.com',
      key: link.key,
      url: 'https://shop.example.com/',
    };
    const { body } = await app.call('POST', '/api/links', { body: elsewhere });
    const site = await siteWith({ attributes: 'data-link-domain="go.example.com"' });
    await visitor.page.goto(`${site.url}/?via=${link.key}`);
    expect(await visitor.ready()).toMatch(/^clk_/);
    expect((await app.call('GET', `/api/links/${body.id}`)).body.clicks).toBe(1);
    expect(await clicksOf(app, link)).toBe(0);
  });

  it('with an unknown key changes nothing', async () => {
    const site = await siteWith();
    await visitor.context.addCookies([{ name: 'svc_id', value: EARLIER, url: site.url }]);
    await visitor.page.goto(`${site.url}/?via=no-such-link`);
    expect(await visitor.ready()).toBe(EARLIER);
    expect(visitor.page.url()).toBe(`${site.url}/?via=no-such-link`);
  });

  it('names the link with any of several parameters, of which the first that names one counts', async () => {
    const site = await siteWith({ attributes: 'data-via="via, ref,partner"' });
    await visitor.page.goto(`${site.url}/?partner=of-nobody&ref=${link.key}&via=newsletter`);
    expect(await visitor.ready()).toMatch(/^clk_/);
    expect(visitor.page.url()).toBe(`${site.url}/?partner=of-nobody&via=newsletter`);
    expect(await clicksOf(app, link)).toBe(1);
  });

  it('tries no further parameter when the service fails', async () => {
    const site = await siteWith({ attributes: 'data-via="via,ref"' });
    const asked: unknown[] = [];
    await visitor.context.route('**/api/track/click', (route) => {
      asked.push(route.request().postDataJSON().key);
      return route.fulfill({ status: 429, json: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    });
    await visitor.page.goto(`${site.url}/?via=newsletter&ref=${link.key}`);
    expect(await visitor.ready()).toBeNull();
    expect(asked).toEqual(['newsletter']);
  });

  it('stores nothing for a visitor who withdraws consent while the service answers', async () => {
    const site = await siteWith({ attributes: 'data-via="via,ref"' });
    for (const query of [`via=${link.key}`, `via=newsletter&ref=${link.key}`]) {
      let asked = 0;
      await visitor.context.route('**/api/track/click', async (route) => {
        asked += 1;
        await visitor.page.evaluate('window.refbridge.reset()');
        await route.continue();
      });
      await visitor.page.goto(`${site.url}/?${query}`);
      expect(await visitor.ready()).toBeNull();
      expect([asked, await visitor.cookie()]).toEqual([1, undefined]);
      await visitor.context.unroute('**/api/track/click');
    }
  });

  it('with a click id keeps that click, and records no second one', async () => {
    const site = await siteWith();
    await visitor.page.goto(`${site.url}/?via=${link.key}&svc_id=${EARLIER}`);
    expect(await visitor.ready()).toBe(EARLIER);
    expect(await clicksOf(app, link)).toBe(0);
  });

  it.each([
    ['is out of reach', (route: Route) => route.abort()],
    ['answers a page', (route: Route) => route.fulfill({ body: '<h1>Maintenance</h1>' })],
    ['answers no id', (route: Route) => route.fulfill({ json: { clickId: 'x; Domain=a' } })],
  ])('keeps working when the service %s', async (_how, answer) => {
    const site = await siteWith();
    await visitor.context.route('**/api/track/click', answer);
    await visitor.page.goto(`${site.url}/?via=${link.key}`);
    expect(await visitor.ready()).toBeNull();
    expect(visitor.page.url()).toBe(`${site.url}/?via=${link.key}`);
    expect(await visitor.page.textContent('h1')).toBe('Lamps');
  });
});

describe('a page that changes its URL without a reload', () => {
  it('stores the click of a link that was followed inside it', async () => {
    const site = await siteWith();
    await visitor.page.goto(site.url);
    await visitor.page.evaluate(`history.pushState({ view: 'lamps' }, '', '/lamps?svc_id=${EARLIER}&a=1')`);
    expect(await visitor.clickId()).toBe(EARLIER);
    expect(visitor.page.url()).toBe(`${site.url}/lamps?a=1`);
    expect(await visitor.page.evaluate('history.state')).toEqual({ view: 'lamps' });
  });

  it('calls the service once for a via link that stays in the URL', async () => {
    const site = await siteWith({ attributes: 'data-clean-url="false"' });
    await visitor.page.goto(site.url);
    const answered = visitor.page.waitForResponse('**/api/track/click');
    await visitor.page.evaluate(`history.replaceState(null, '', '/?via=${link.key}')`);
    await answered;
    await visitor.page.evaluate(`history.pushState(null, '', '/lamps?via=${link.key}')`);
    await visitor.page.evaluate(`history.pushState(null, '', '/chairs?via=${link.key}')`);
    await expect.poll(() => visitor.clickId()).toMatch(/^clk_/);
    expect(await clicksOf(app, link)).toBe(1);
  });

  it('keeps the latest click when the visitor goes back', async () => {
    const later = EARLIER.replace('019dca', '019dcb');
    const site = await siteWith({ attributes: 'data-clean-url="false"' });
    await visitor.page.goto(`${site.url}/?svc_id=${EARLIER}`);
    await visitor.page.evaluate(`history.pushState(null, '', '/?svc_id=${later}')`);
    expect(await visitor.clickId()).toBe(later);
    await visitor.page.evaluate('new Promise((resolve) => { addEventListener("popstate", resolve); history.back() })');
    expect(visitor.page.url()).toContain(EARLIER);
    expect(await visitor.clickId()).toBe(later);
  });

  it('keeps a later click from another tab when a router puts back the URL with which the page began', async () => {
    const later = EARLIER.replace('019dca', '019dcb');
    const site = await siteWith();
    await visitor.page.goto(`${site.url}/?svc_id=${EARLIER}`);
    const tab = await visitor.context.newPage();
    await tab.goto(`${site.url}/?svc_id=${later}`);
    await visitor.page.evaluate(`history.replaceState(null, '', '/?svc_id=${EARLIER}')`);
    expect(visitor.page.url()).toBe(`${site.url}/`);
    expect(await visitor.clickId()).toBe(later);
  });

  it('sees the errors of its own history calls, and none of the script', async () => {
    const site = await siteWith();
    await visitor.page.goto(site.url);
    const thrown = await visitor.page.evaluate(
      `(() => { try { history.pushState(null, '', 'https://elsewhere.example.com/'); } catch (error) { return error.name; } })()`,
    );
    expect(thrown).toBe('SecurityError');
    await visitor.page.evaluate(`history.pushState(null, '', '/?svc_id=%ZZ&via=%ZZ')`);
    expect(await visitor.clickId()).toBeNull();
  });
});
