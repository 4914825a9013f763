import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { createLink } from './links.ts';
import { createSite, type Site } from './site.ts';
import { newVisitor, type Visitor } from './visitor.ts';

const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
const ALIASES = { attributes: 'data-cookie-aliases="refp_id, dub_id,no;name"' };

let app: TestApp;
let browser: Browser;
let visitor: Visitor;
let site: Site;

beforeAll(async () => {
  [app, browser] = await Promise.all([createTestApp('sqlite'), sharedChromium()]);
  site = await createSite(app.url, ALIASES);
});
afterAll(async () => {
  await closePages(browser);
  await Promise.all([app.close(), site.close()]);
});
beforeEach(async () => {
  visitor = await newVisitor(browser);
});
afterEach(async () => {
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

async function cookies(): Promise<Record<string, string>> {
  return Object.fromEntries((await visitor.cookies()).map(({ name, value }) => [name, value]));
}

const everywhere = (clickId: string) => ({ svc_id: clickId, refp_id: clickId, dub_id: clickId });

describe('data-cookie-aliases', () => {
  it('writes the id under each further name, and cleans it from the URL', async () => {
    const link = await createLink(app, 'aliased', `${site.url}/lamps?a=1&dub_id=other`);
    const body = { clickParameters: ['svc_id', 'dub_id'] };
    await app.call('PATCH', `/api/programs/${app.programId}`, { body });
    await visitor.page.goto(link.shortLink);
    const clickId = await visitor.ready();
    expect(clickId).toMatch(/^clk_/);
    expect(await cookies()).toEqual(everywhere(clickId ?? ''));
    expect(visitor.page.url()).toBe(`${site.url}/lamps?a=1`);
  });

  it('follows a later click, and a cookie that the server wrote', async () => {
    await visitor.context.addCookies([{ name: 'svc_id', value: CLICK, url: site.url }]);
    await visitor.page.goto(site.url);
    expect(await cookies()).toEqual(everywhere(CLICK));
    const later = CLICK.replace('019dca', '019dcb');
    await visitor.page.goto(`${site.url}/?svc_id=${later}`);
    expect(await cookies()).toEqual(everywhere(later));
  });

  it('are deleted with the click, and the id of another page under that name stays in the URL', async () => {
    await visitor.page.goto(`${site.url}/?svc_id=${CLICK}&dub_id=another`);
    expect(visitor.page.url()).toBe(`${site.url}/?dub_id=another`);
    await visitor.page.evaluate('window.refbridge.reset()');
    expect(await cookies()).toEqual({});
  });
});
