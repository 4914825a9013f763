import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { clicksOf, createLink, type TestLink } from './links.ts';
import { createSite, pageOf, type Site, type SiteOptions } from './site.ts';
import { newVisitor, type Visitor } from './visitor.ts';

const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';

let app: TestApp;
let browser: Browser;
let visitor: Visitor;
let link: TestLink;
const sites: Site[] = [];

beforeAll(async () => {
  [app, browser] = await Promise.all([createTestApp('sqlite'), sharedChromium()]);
  link = await createLink(app, 'anna', 'https://shop.example.com/');
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
  expect(await visitor.context.cookies()).toSatisfy((cookies: { name: string }[]) =>
    cookies.every(({ name }) => name === 'svc_id'),
  );
  await visitor.leave();
  await Promise.all(sites.splice(0).map((site) => site.close()));
});

async function siteWith(options: SiteOptions = {}): Promise<Site> {
  const site = await createSite(app.url, options);
  sites.push(site);
  return site;
}

describe('a page with a strict Content-Security-Policy', () => {
  const violations =
    '<script nonce="n1">window.violations = []; addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective))</script>';

  it('must allow the script and its one request, and nothing else', async () => {
    const policy = `default-src 'none'; script-src 'nonce-n1' ${app.url}/script.js; connect-src ${app.url}; require-trusted-types-for 'script'; trusted-types 'none'`;
    const site = await siteWith({ headers: { 'content-security-policy': policy }, before: violations });
    await visitor.page.goto(`${site.url}/?svc_id=${CLICK}`);
    expect(await visitor.ready()).toBe(CLICK);
    await visitor.page.goto(`${site.url}/?via=${link.key}`);
    expect(await visitor.ready()).not.toBe(CLICK);
    expect(await visitor.ready()).toMatch(/^clk_/);
    expect(await visitor.page.evaluate('window.violations')).toEqual([]);
  });

  it('that allows no request still gets the clicks of links', async () => {
    const policy = `default-src 'none'; script-src ${app.url}`;
    const site = await siteWith({ headers: { 'content-security-policy': policy } });
    await visitor.page.goto(`${site.url}/?via=${link.key}`);
    expect(await visitor.ready()).toBeNull();
    await visitor.page.goto(`${site.url}/?svc_id=${CLICK}`);
    expect(await visitor.ready()).toBe(CLICK);
    expect(visitor.page.url()).toBe(`${site.url}/`);
  });

  it('that is cross-origin isolated may load it', async () => {
    const headers = { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' };
    const site = await siteWith({ headers });
    await visitor.page.goto(`${site.url}/?svc_id=${CLICK}`);
    expect(await visitor.page.evaluate('window.crossOriginIsolated')).toBe(true);
    expect(await visitor.clickId()).toBe(CLICK);
  });
});

describe('a browser that stores nothing', () => {
  it('keeps the page unchanged: no cookie, no request, the same URL', async () => {
    const session = await visitor.context.newCDPSession(visitor.page);
    await session.send('Emulation.setDocumentCookieDisabled', { disabled: true });
    const site = await siteWith();
    const before = await clicksOf(app, link);
    for (const query of [`svc_id=${CLICK}`, `via=${link.key}`]) {
      await visitor.page.goto(`${site.url}/?${query}`);
      expect(await visitor.ready()).toBeNull();
      expect(visitor.page.url()).toBe(`${site.url}/?${query}`);
      expect(
        await visitor.page.evaluate(
          '[window.refbridge.getClickId(), window.refbridge.getClick(), window.refbridge.reset() || null]',
        ),
      ).toEqual([null, null, null]);
    }
    expect(await visitor.cookie()).toBeUndefined();
    expect(await clicksOf(app, link)).toBe(before);
  });

  it('includes a sandboxed frame, whose cookies throw', async () => {
    const inner = pageOf(app.url, {}).replaceAll('"', '&quot;');
    const site = await siteWith({ after: `<iframe sandbox="allow-scripts" srcdoc="${inner}"></iframe>` });
    await visitor.page.goto(site.url);
    const frame = visitor.page.frames().find((candidate) => candidate !== visitor.page.mainFrame());
    await frame?.waitForLoadState();
    const cookies = `(() => { try { return document.cookie; } catch (error) { return error.name; } })()`;
    expect(await frame?.evaluate(cookies)).toBe('SecurityError');
    expect(await frame?.evaluate('window.refbridge.ready')).toBeNull();
    expect(await frame?.evaluate('window.refbridge.getClickId()')).toBeNull();
    expect(await frame?.evaluate('window.refbridge.reset()')).toBeUndefined();
  });
});

describe('a visitor who asks not to be tracked', () => {
  const wishes = [
    ['Do Not Track', `Object.defineProperty(navigator, 'doNotTrack', { value: '1' })`],
    ['Global Privacy Control', `Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })`],
  ] as const;

  it.each(wishes)('by %s is left alone when data-do-not-track says so', async (_name, wish) => {
    await visitor.context.addInitScript({ content: wish });
    const before = await clicksOf(app, link);
    for (const attribute of ['data-do-not-track', 'data-do-not-track="true"']) {
      const site = await siteWith({ attributes: attribute });
      for (const query of [`svc_id=${CLICK}`, `via=${link.key}`]) {
        await visitor.page.goto(`${site.url}/?${query}`);
        expect(await visitor.ready()).toBeNull();
        expect(visitor.page.url()).toBe(`${site.url}/?${query}`);
      }
    }
    expect(await visitor.cookie()).toBeUndefined();
    expect(await clicksOf(app, link)).toBe(before);
  });

  it.each(wishes)('by %s is treated like others when the company did not choose it', async (_name, wish) => {
    await visitor.context.addInitScript({ content: wish });
    for (const attributes of ['', 'data-do-not-track="false"']) {
      const site = await siteWith({ attributes });
      await visitor.page.goto(`${site.url}/?svc_id=${CLICK}`);
      expect(await visitor.clickId()).toBe(CLICK);
      await visitor.page.evaluate('window.refbridge.reset()');
    }
  });

  it('is the only one affected: for others the option changes nothing', async () => {
    const site = await siteWith({ attributes: 'data-do-not-track' });
    await visitor.page.goto(`${site.url}/?svc_id=${CLICK}`);
    expect(await visitor.clickId()).toBe(CLICK);
  });
});

describe('a hostile page', () => {
  it.each([
    ['has an element of that name', '', '<p id="refbridge"></p>'],
    ['has frozen its history', '<script>Object.freeze(history)</script>', ''],
    ['refuses to change its address', '<script>history.replaceState = () => { throw new Error("no") }</script>', ''],
    ['has no fetch', '<script>delete window.fetch</script>', ''],
  ])('with %s still gets the click', async (_what, before, after) => {
    const site = await siteWith({ before, after });
    await visitor.page.goto(`${site.url}/?svc_id=${CLICK}`);
    expect(await visitor.ready()).toBe(CLICK);
    await visitor.page.goto(`${site.url}/?via=${link.key}`);
    expect(await visitor.ready()).toMatch(/^clk_/);
  });

  it('may load the script late, or through a tag manager', async () => {
    const late = await siteWith({ attributes: 'defer' });
    await visitor.page.goto(`${late.url}/?svc_id=${CLICK}`);
    expect(await visitor.clickId()).toBe(CLICK);
    await visitor.page.evaluate('window.refbridge.reset()');

    const tag = `<script>
      const tag = Object.assign(document.createElement('script'), { src: '${app.url}/script.js' });
      tag.dataset.cleanUrl = 'false';
      document.head.append(tag);
    </script>`;
    const managed = await siteWith({ tag });
    await visitor.page.goto(`${managed.url}/?svc_id=${CLICK}`);
    await expect.poll(() => visitor.clickId()).toBe(CLICK);
    expect(visitor.page.url()).toBe(`${managed.url}/?svc_id=${CLICK}`);
  });
});
