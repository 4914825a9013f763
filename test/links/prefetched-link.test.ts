import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { type LocalServer, serveNode } from '../helpers/serve-fetch.ts';
import { VISITOR } from '../helpers/story.ts';
import { clicksOf, createLink, visit } from '../helpers/visitors.ts';

let app: TestApp;
let pages: LocalServer;
beforeAll(async () => {
  app = await createTestApp('sqlite');
  pages = await serveNode((request, response) => {
    const link = new URL(request.url ?? '', 'http://localhost').searchParams.get('link');
    const rules = JSON.stringify({ prefetch: [{ urls: [link], eagerness: 'immediate' }] });
    response.setHeader('content-type', 'text/html');
    response.end(link ? `<script type="speculationrules">${rules}</script><a href="${link}">The shop</a>` : 'The shop');
  });
});
afterAll(async () => {
  await closePages(await sharedChromium());
  await pages.close();
  await app.close();
});

describe('a partner link that a browser fetches ahead', () => {
  it.each(['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'])(
    'is refused as a page with Sec-Purpose: %s, and counts nothing',
    async (purpose) => {
      const link = await createLink(app);
      const { status, text, headers } = await visit(app, `/${link.key}`, {
        'sec-purpose': purpose,
        'sec-fetch-dest': 'document',
      });
      expect([status, text, headers.get('location')]).toEqual([403, '', null]);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-refbridge-click')).toBe('none; reason=prefetch');
      expect(await clicksOf(app, link)).toEqual([]);
    },
  );

  it('brings its visitor with a click', async () => {
    const link = await createLink(app, { url: `${pages.url}/` });
    const browser = await sharedChromium();
    const page = await (await browser.newContext({ userAgent: VISITOR })).newPage();
    const purposes: unknown[] = [];
    app.server.on('request', ({ headers }) => purposes.push(headers['sec-purpose']));
    await page.goto(`${pages.url}/?link=${encodeURIComponent(`${app.url}/${link.key}`)}`);
    await expect.poll(() => purposes).toEqual(['prefetch']);
    await page.click('a');
    await page.waitForURL((url) => !url.search.startsWith('?link='));
    const clicks = await clicksOf(app, link);
    expect(clicks.map(({ id }) => `${pages.url}/?svc_id=${id}`)).toEqual([page.url()]);
  });
});
