import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { clicksOf, createLink } from './links.ts';
import { createSite, pageOf, type Site, type SiteOptions } from './site.ts';
import { newVisitor, type Visitor } from './visitor.ts';

const FIRST = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
const SECOND = 'clk_019dca2fe1417Zq2mVb8Kx4Tn1WsYc3D';
const DAY_SECONDS = 86_400;

let app: TestApp;
let browser: Browser;
let visitor: Visitor;
const sites: Site[] = [];

beforeAll(async () => {
  [app, browser] = await Promise.all([createTestApp('sqlite'), sharedChromium()]);
});
afterAll(async () => {
  await closePages(browser);
  await app.close();
});
beforeEach(async () => {
  visitor = await newVisitor(browser);
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

const daysLeft = (expires: number) => (expires - Date.now() / 1000) / DAY_SECONDS;

describe('the cookie of a visitor who came through a partner link', () => {
  it('stores the click for 90 days, for the whole site, and cleans the address bar', async () => {
    const site = await siteWith();
    const link = await createLink(app, 'anna', `${site.url}/lamps?colour=warm&size=l#reviews`);
    await visitor.page.goto(link.shortLink);

    const cookie = await visitor.cookie();
    expect(cookie).toMatchObject({ domain: 'localhost', path: '/', sameSite: 'Lax', secure: false, httpOnly: false });
    expect(daysLeft(cookie?.expires ?? 0)).toBeCloseTo(90, 1);
    expect(cookie?.value).toMatch(/^clk_/);
    expect(await visitor.clickId()).toBe(cookie?.value);
    expect(visitor.page.url()).toBe(`${site.url}/lamps?colour=warm&size=l#reviews`);
    expect(await clicksOf(app, link)).toBe(1);
  });

  it('is set when the script has run, for the next script of the page', async () => {
    const site = await siteWith({ after: '<script>window.seen = window.refbridge.getClickId()</script>' });
    await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
    expect(await visitor.page.evaluate('window.seen')).toBe(FIRST);
  });

  it('is secure only if the site uses https', async () => {
    const page = pageOf('https://refer.example.com', {});
    const script = await (await fetch(`${app.url}/script.js`)).text();
    await visitor.context.route('https://shop.example.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: page }),
    );
    await visitor.context.route('https://refer.example.com/script.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    );
    await visitor.page.goto(`https://shop.example.com/?svc_id=${FIRST}`);
    expect(await visitor.cookie()).toMatchObject({ value: FIRST, secure: true, domain: 'shop.example.com' });
    expect(visitor.page.url()).toBe('https://shop.example.com/');
  });

  it('belongs to every host of the site that data-domain names', async () => {
    const { port } = await siteWith({ attributes: 'data-domain="example.localhost"' });
    await visitor.page.goto(`http://www.example.localhost:${port}/?svc_id=${FIRST}`);
    expect(await visitor.cookie()).toMatchObject({ value: FIRST, domain: '.example.localhost' });
    await visitor.page.goto(`http://app.example.localhost:${port}/`);
    expect(await visitor.clickId()).toBe(FIRST);
  });

  it('stays with the host when data-domain names another site, such as on a preview', async () => {
    const site = await siteWith({ attributes: 'data-domain="example.com"' });
    await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
    expect(await visitor.cookie()).toMatchObject({ value: FIRST, domain: 'localhost' });
  });

  it('replaces one from before data-domain was set', async () => {
    const { port } = await siteWith({ attributes: 'data-domain="example.localhost"' });
    const url = `http://www.example.localhost:${port}/`;
    await visitor.context.addCookies([{ name: 'svc_id', value: FIRST, url }]);
    await visitor.page.goto(`${url}?svc_id=${SECOND}`);
    const values = (await visitor.cookies()).filter(({ name }) => name === 'svc_id').map(({ value }) => value);
    expect(values).toEqual([SECOND]);
  });

  it('of the server for the whole domain is kept, and one of this host alone that hides it is deleted', async () => {
    const header = `svc_id=${SECOND}; Domain=example.localhost; Path=/; Max-Age=8640000`;
    const { port } = await siteWith({ headers: { 'set-cookie': header } });
    const url = `http://www.example.localhost:${port}/`;
    await visitor.context.addCookies([{ name: 'svc_id', value: FIRST, url }]);
    await visitor.page.goto(`${url}?svc_id=${SECOND}`);
    expect(await visitor.clickId()).toBe(SECOND);
    expect(visitor.page.url()).toBe(url);
    const cookies = await visitor.cookies();
    expect(cookies).toMatchObject([{ value: SECOND, domain: '.example.localhost' }]);
    expect(daysLeft(cookies[0]?.expires ?? 0)).toBeCloseTo(100, 1);
  });

  it('lives as long as data-cookie-days says, and 90 days when that is not a number', async () => {
    const month = await siteWith({ attributes: 'data-cookie-days="30"' });
    await visitor.page.goto(`${month.url}/?svc_id=${FIRST}`);
    expect(daysLeft((await visitor.cookie())?.expires ?? 0)).toBeCloseTo(30, 1);
    const mistyped = await siteWith({ attributes: 'data-cookie-days="a month"' });
    await visitor.page.goto(`${mistyped.url}/?svc_id=${SECOND}`);
    expect(daysLeft((await visitor.cookie())?.expires ?? 0)).toBeCloseTo(90, 1);
  });

  it('of the same click is not rewritten: one from the server would lose its longer lifetime', async () => {
    const site = await siteWith();
    const expires = Math.floor(Date.now() / 1000) + 200 * DAY_SECONDS;
    await visitor.context.addCookies([{ name: 'svc_id', value: FIRST, url: site.url, expires }]);
    await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
    expect((await visitor.cookie())?.expires).toBe(expires);
    expect(visitor.page.url()).toBe(`${site.url}/`);
  });
});

describe('a visitor who comes through a second link', () => {
  it.each([
    ['last-click', '', SECOND],
    ['last-click, by name', 'data-model="last-click"', SECOND],
    ['first-click', 'data-model="first-click"', FIRST],
  ])('belongs to the click that the model %s prefers', async (_model, attributes, expected) => {
    const site = await siteWith({ attributes });
    await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
    expect(await visitor.clickId()).toBe(FIRST);
    await visitor.page.goto(`${site.url}/?svc_id=${SECOND}`);
    expect(await visitor.clickId()).toBe(expected);
    expect(visitor.page.url()).toBe(`${site.url}/`);
  });
});

describe('the URL', () => {
  it('keeps the click when data-clean-url is false', async () => {
    const site = await siteWith({ attributes: 'data-clean-url="false"' });
    await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
    expect(await visitor.clickId()).toBe(FIRST);
    expect(visitor.page.url()).toBe(`${site.url}/?svc_id=${FIRST}`);
  });

  it('provides the click in the parameter that data-param names, and keeps the state of the page', async () => {
    const state = '<script>history.replaceState({ step: 2 }, "")</script>';
    const site = await siteWith({ attributes: 'data-param="ref_click"', before: state });
    await visitor.page.goto(`${site.url}/?a=1%20x&new&ref_click=${FIRST}&b=%ZZ#top`);
    expect(await visitor.clickId()).toBe(FIRST);
    expect((await visitor.cookie())?.name).toBe('svc_id');
    expect(visitor.page.url()).toBe(`${site.url}/?a=1%20x&new&b=%ZZ#top`);
    expect(await visitor.page.evaluate('history.state')).toEqual({ step: 2 });
  });

  it.each(['made-up', 'clk_', 'clk_a;Domain=localhost', '%ZZ', 'clk_%00'])(
    'that brings %s, which is no click, changes nothing',
    async (text) => {
      const site = await siteWith();
      await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
      const url = `${site.url}/?svc_id=${text}`;
      await visitor.page.goto(url);
      expect(await visitor.ready()).toBe(FIRST);
      expect(visitor.page.url()).toBe(url);
    },
  );
});

describe('window.refbridge', () => {
  it('returns the click and its time, and deletes both on reset', async () => {
    const site = await siteWith();
    await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
    const clickedAt = 0x019dca2fe140;
    expect(await visitor.page.evaluate('window.refbridge.getClick()')).toEqual({ id: FIRST, clickedAt });
    await visitor.page.evaluate('window.refbridge.reset()');
    expect(await visitor.cookie()).toBeUndefined();
    expect(await visitor.page.evaluate('[window.refbridge.getClick(), window.refbridge.getClickId()]')).toEqual([
      null,
      null,
    ]);
  });

  it('stores no click after reset until the page is loaded again, however often it navigates', async () => {
    const site = await siteWith({ attributes: 'data-clean-url="false"' });
    await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
    expect(await visitor.clickId()).toBe(FIRST);
    await visitor.page.evaluate('window.refbridge.reset()');
    await visitor.page.evaluate('history.replaceState(null, "", location.href)');
    expect(await visitor.clickId()).toBeNull();
    await visitor.page.evaluate(`history.pushState(null, '', '/lamps?svc_id=${SECOND}')`);
    expect(await visitor.clickId()).toBeNull();
    await visitor.page.goto(`${site.url}/?svc_id=${SECOND}`);
    expect(await visitor.clickId()).toBe(SECOND);
  });

  it('deletes the cookie of data-domain, too', async () => {
    const { port } = await siteWith({ attributes: 'data-domain="example.localhost"' });
    await visitor.page.goto(`http://www.example.localhost:${port}/?svc_id=${FIRST}`);
    await visitor.page.evaluate('window.refbridge.reset()');
    expect(await visitor.cookie()).toBeUndefined();
  });

  it('is ready with null for a visitor without a link', async () => {
    const site = await siteWith();
    await visitor.page.goto(site.url);
    expect(await visitor.ready()).toBeNull();
    expect(await visitor.cookies()).toEqual([]);
  });

  it('waits until a prerendered page is visited', async () => {
    const state = (isAhead: boolean) =>
      `Object.defineProperty(document, 'prerendering', { value: ${isAhead}, configurable: true });`;
    await visitor.context.addInitScript({ content: state(true) });
    const site = await siteWith();
    await visitor.page.goto(`${site.url}/?svc_id=${FIRST}`);
    expect(await visitor.clickId()).toBeNull();
    await visitor.page.evaluate(`${state(false)} document.dispatchEvent(new Event('prerenderingchange'))`);
    expect(await visitor.ready()).toBe(FIRST);
    expect(visitor.page.url()).toBe(`${site.url}/`);
  });

  it('exists once when the page contains the tag twice', async () => {
    const once = '<script>window.once = window.refbridge</script>';
    const site = await siteWith({ after: `${once}<script src="${app.url}/script.js"></script>` });
    await visitor.page.goto(site.url);
    expect(await visitor.page.evaluate('window.once === window.refbridge')).toBe(true);
  });
});
