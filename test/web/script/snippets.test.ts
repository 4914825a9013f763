import type { Browser, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { blocksOf, readDocumentation } from '../../helpers/markdown.ts';
import { clicksOf, createLink } from './links.ts';
import { createSite, type Site } from './site.ts';
import { newVisitor, type Visitor } from './visitor.ts';

const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';

/** A snippet of a page, as the HTML to put on a site. */
interface Snippet {
  path: string;
  html: string;
}

/** Every snippet that runs in a browser: HTML, and JavaScript that imports nothing and reads no environment. */
const snippets: Snippet[] = readDocumentation().flatMap((page) => [
  ...blocksOf(page, 'html').map((html) => ({ path: page.path, html })),
  ...blocksOf(page, 'js')
    .filter((code) => !/import |process\.env/.test(code))
    .map((code) => ({ path: page.path, html: `<script type="module">${code}</script>` })),
]);

/** What identifies each snippet. */
const KNOWN = {
  tag: /^<script src="https:\/\/refer\.example\.com\/script\.js" async>/,
  api: /refbridge\.reset\(\)/,
  waiting: /whenReady/,
  cart: /cart\/update\.js/,
  paddle: /Paddle\.Checkout\.open/,
  frame: /<iframe id="referrals"/,
  fromDub: /^<script [^>]*data-cookie-aliases="dub_id"/,
  fromRefport: /^<script [^>]*data-cookie-aliases="refp_id"/,
  fromOthers: /^<script src="[^"]*" data-via="auto" async>/,
};

const snippet = (name: keyof typeof KNOWN): string => {
  const found = snippets.find(({ html }) => KNOWN[name].test(html));
  if (found === undefined) throw new Error(`No page has the snippet ${name}`);
  return found.html;
};

let app: TestApp;
let browser: Browser;
let visitor: Visitor;
let site: Site | undefined;
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
  await site?.close();
  site = undefined;
});

/**
 * Visits a page with the snippet through a link; the HTML goes before or after the script, which loads at once or late.
 */
async function visit(html: { before?: string; after?: string }, { clickId = CLICK, isLate = false } = {}) {
  const tag = `<script src="${app.url}/script.js" ${isLate ? 'async' : ''}></script>`;
  site = await createSite(app.url, { tag, ...html });
  const isParsed = Promise.withResolvers<void>();
  visitor.page.once('domcontentloaded', () => isParsed.resolve());
  await visitor.context.route(`${app.url}/script.js`, async (route) => {
    if (isLate) await isParsed.promise;
    await route.continue();
  });
  await visitor.page.goto(clickId === '' ? site.url : `${site.url}/?svc_id=${clickId}`);
  return visitor.ready();
}

it('every snippet in the pages that runs in a browser is run here', () => {
  const unknown = snippets.filter(({ html }) => !Object.values(KNOWN).some((pattern) => pattern.test(html)));
  expect(unknown).toEqual([]);
  expect(snippets.length).toBeGreaterThanOrEqual(Object.keys(KNOWN).length);
});

describe('the snippets of the page on tracking', () => {
  it('load the script and use it', async () => {
    const tag = snippet('tag').replace('https://refer.example.com', app.url);
    site = await createSite(app.url, { tag });
    await visitor.page.goto(`${site.url}/?svc_id=${CLICK}`);
    await visitor.page.waitForFunction('window.refbridge && window.refbridge.ready');
    expect(await visitor.clickId()).toBe(CLICK);
    await visitor.page.setContent(snippet('api'));
    await expect.poll(visitor.clickId).toBeNull();
  });

  it.each([
    ['fromDub', 'dub_id'],
    ['fromRefport', 'refp_id'],
  ] as const)('keep the click under the name of the client that it came %s', async (name, cookie) => {
    site = await createSite(app.url, { tag: snippet(name).replace('https://refer.example.com', app.url) });
    await visitor.page.goto(`${site.url}/?svc_id=${CLICK}`);
    await visitor.page.waitForFunction('window.refbridge && window.refbridge.ready');
    const cookies = await visitor.cookies();
    expect(cookies.filter(({ value }) => value === CLICK).map((one) => one.name)).toEqual(['svc_id', cookie]);
  });

  it.each([
    ['after the script', { isLate: false }],
    ['before a script that is late', { isLate: true }],
  ])('wait for the click, %s', async (_when, options) => {
    const logged: string[] = [];
    visitor.page.on('console', (message) => logged.push(message.text()));
    await visit({ [options.isLate ? 'before' : 'after']: snippet('waiting') }, options);
    await expect.poll(() => logged).toEqual([CLICK]);
  });
});

it('the snippet for companies that move here accepts links by their earlier parameter', async () => {
  const link = await createLink(app, 'moved', 'https://shop.example.com/');
  await app.call('PATCH', `/api/programs/${app.programId}`, { body: { viaParameters: ['ref'] } });
  site = await createSite(app.url, { tag: snippet('fromOthers').replace('https://refer.example.com', app.url) });
  await visitor.page.goto(`${site.url}/?ref=moved`);
  expect(await visitor.ready()).toMatch(/^clk_/);
  expect(visitor.page.url()).toBe(`${site.url}/`);
  expect(await clicksOf(app, link)).toBe(1);
});

describe('the snippet of the page on the portal', () => {
  it('gives the frame the height that it asks for', async () => {
    site = await createSite(app.url, { tag: '' });
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { portal: { allowedOrigins: [site.url] } } });
    const { body } = await app.call('POST', '/api/embed/token', { body: { partner: { email: 'ana@example.com' } } });
    await visitor.page.goto(site.url);
    const frame = snippet('frame')
      .replace('https://refer.example.com', app.url)
      .replace('rb_embed_…', body.publicToken);
    await visitor.page.setContent(frame);
    const height = () => visitor.page.evaluate('document.getElementById("referrals").style.height');
    await expect.poll(height).toMatch(/^[1-9]\d*px$/);
  });
});

describe('the snippet for a Shopify theme', () => {
  /** Renders the theme's Liquid for a customer with this id, or for a guest. */
  const themeFor = (user: string | null) =>
    snippet('cart')
      .replaceAll(/\{% if [^%]*%\}([\s\S]*?)\{% endif %\}/g, user === null ? '' : '$1')
      .replaceAll(/\{\{[^}]*\| json \}\}/g, JSON.stringify(user));

  async function updatesOf(user: string | null, options: { clickId?: string; isLate?: boolean }): Promise<unknown[]> {
    const updates: unknown[] = [];
    const keep = (request: Request) => {
      if (request.url().endsWith('/cart/update.js')) updates.push(request.postDataJSON().attributes);
    };
    visitor.page.on('request', keep);
    await visit({ [options.isLate ? 'before' : 'after']: themeFor(user) }, options);
    // the snippet's own handler ran before this one
    await visitor.page.evaluate('window.refbridge.ready.then(() => fetch("/done"))');
    return updates;
  }

  it.each([
    ['after the script', { isLate: false }],
    ['before a script that is late', { isLate: true }],
  ])('adds customer and click to the cart, %s', async (_when, options) => {
    expect(await updatesOf('user_42', options)).toEqual([{ svcCustomerExternalId: 'user_42' }, { svc_id: CLICK }]);
  });

  it('adds nothing for a guest without a click, so that what the cart has stays', async () => {
    expect(await updatesOf(null, { clickId: '', isLate: true })).toEqual([]);
  });
});

it('the snippet for Paddle.js names the customer', async () => {
  const stub =
    '<script>var userId = "user_42"; var Paddle = { Checkout: { open: (o) => { window.opened = o; } } };</script>';
  await visit({ before: stub + snippet('paddle') });
  const opened = await visitor.page.waitForFunction('window.opened && window.opened.customData');
  expect(await opened.jsonValue()).toEqual({ svcCustomerExternalId: 'user_42' });
});
