import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepIntercepting } from '../../helpers/chromium.ts';
import { allLoaded, createScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene.close());

describe('the portal in a frame on another origin', () => {
  it('shows the link, the terms, a year of results, earnings, sales and payouts', async () => {
    const { frame, problems, leave } = await scene.visit(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
    await allLoaded(frame);
    const text = (await frame.locator('main').allInnerTexts()).join().replaceAll(/\s+/g, ' ');
    expect(text).toContain('You earn 20% of every payment, paid out 30 days later, once you have reached $50.00.');
    expect(text).toMatch(/Clicks \d+ .*Sign-ups \d+ .*Sales 23 /);
    expect(text).toMatch(/Available \$127\.40 .*On its way: \$116\.20 On hold \$14\.80 ¥2,400 .*Paid \$82\.60/);
    expect(text).toMatch(/r…@example\.com .*¥12,000 ¥2,400 On hold/);
    expect(text).toMatch(/p…@example\.com .*\$0\.00 Before: \$9\.80 Reversed The customer got money back/);
    expect(text).toMatch(/On its way Statement .*Paid Statement/);
    await frame.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => frame.locator('.sales tbody tr').count()).toBe(23);
    expect(problems).toEqual([]);
    await leave();
  });

  it('reports its height and nothing else to the page around it, whenever it changes', async () => {
    const { page, frame, messages, leave } = await scene.visit(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
    await allLoaded(frame);
    const height = () => page.locator('iframe').evaluate((element) => element.clientHeight);
    const wanted = () => frame.evaluate('Math.ceil(document.getElementById("portal").getBoundingClientRect().height)');
    await expect.poll(async () => (await height()) === (await wanted())).toBe(true);
    const before = await height();
    expect(await frame.evaluate('document.documentElement.scrollHeight')).toBe(before);
    await frame.getByRole('button', { name: 'QR code' }).click();
    await frame.getByRole('img', { name: /^QR code of/ }).waitFor();
    await expect.poll(height).toBeGreaterThan(before + 100);
    const heights = await messages('PAGE_HEIGHT');
    expect(heights.every(({ data, origin }) => Number.isInteger(data.height) && origin === scene.app.url)).toBe(true);
    expect(heights.every(({ data }) => Object.keys(data).join() === 'height')).toBe(true);
    expect(new Set(heights.map(({ data }) => data.height)).size).toBeGreaterThan(1);
    expect(await messages('ERROR')).toEqual([]);
    await leave();
  });

  it('removes the token from its address and keeps it in memory only', async () => {
    const token = await scene.tokenFor();
    const { frame, leave } = await scene.visit(scene.frameUrl(token));
    await allLoaded(frame);
    // a browser may refuse storage in a frame altogether
    await frame.evaluate(
      'try { window.stored = JSON.stringify({ ...localStorage }) } catch { window.stored = "none" }',
    );
    const kept = await frame.evaluate('[location.href, stored, document.cookie].join()');
    expect(kept).toContain('/embed/referrals?dynamicHeight=true');
    expect(kept).not.toContain(token);
    await leave();
  });

  it('has the colors of the system, the program and the address, in this order', async () => {
    const styleOf = (frame: Frame) =>
      frame.evaluate(`(() => {
        const root = getComputedStyle(document.documentElement);
        const names = ['--primary', '--radius', '--ring', '--input', '--card'];
        return [document.documentElement.dataset.theme, root.backgroundColor, root.colorScheme,
          ...names.map((name) => root.getPropertyValue(name))];
      })()`);
    const cssVars = JSON.stringify({
      '--ring': '222 47% 11%',
      input: 'red; } body { display: none',
      '--card': 'url(https://evil.example.com/x)',
      unknown: 'red',
    });
    const light = await scene.visit(scene.frameUrl(await scene.tokenFor(), { cssVars, theme: 'light' }), {
      colorScheme: 'dark',
    });
    await allLoaded(light.frame);
    const ofLight = ['light', 'rgba(0, 0, 0, 0)', 'light', '#7c3aed', '0.5rem', 'hsl(222 47% 11%)'];
    expect(await styleOf(light.frame)).toEqual([...ofLight, '#e4e4e7', '#ffffff']);
    await light.leave();
    const options = { themeOptions: JSON.stringify({ backgroundColor: '#0b1020' }) };
    const dark = await scene.visit(scene.frameUrl(await scene.tokenFor(), options), { colorScheme: 'dark' });
    await allLoaded(dark.frame);
    const ofDark = ['dark', 'rgb(11, 16, 32)', 'dark', '#e4e4e7', '1rem'];
    expect(await styleOf(dark.frame)).toEqual([...ofDark, '#8a8a94', '#303036', '#1b1b1f']);
    await dark.leave();
  });

  it('reports a wrong token to the reader and to the page around it', async () => {
    const { frame, messages, leave } = await scene.visit(scene.frameUrl('rb_embed_nonsense', { lang: 'de' }));
    await frame.getByRole('heading', { name: 'Dieses Portal lässt sich nicht öffnen' }).waitFor();
    await expect
      .poll(() => messages('ERROR'))
      .toEqual([expect.objectContaining({ data: { code: 'UNAUTHORIZED', message: expect.stringMatching(/.{10}/) } })]);
    await leave();
  });

  it('keeps what it shows when its token expires, and says so once', async () => {
    const { frame, messages, leave } = await scene.visit(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
    await allLoaded(frame);
    scene.clock.now += 3_700_000;
    for (const name of ['Show more', 'Statement']) await frame.getByRole('button', { name }).first().click();
    await frame.getByText('Your session has ended').waitFor();
    await expect.poll(() => frame.getByText('This could not be loaded').count()).toBe(1);
    expect(await frame.getByRole('row').count()).toBeGreaterThan(8);
    await expect.poll(() => messages('ERROR')).toMatchObject([{ data: { code: 'UNAUTHORIZED' } }]);
    await leave();
  });

  it('knows by itself when its token expires', async () => {
    scene.clock.now = Date.now();
    const token = await scene.tokenFor({ enrollmentId: scene.partnerId, expiresIn: 3 });
    const { frame, messages, leave } = await scene.visit(scene.frameUrl(token, { lang: 'en' }));
    await frame.getByText('Your session has ended').waitFor();
    expect(await frame.locator('.link input').inputValue()).toContain('http');
    await expect.poll(() => messages('ERROR')).toMatchObject([{ data: { code: 'UNAUTHORIZED' } }]);
    await leave();
  });

  it('does not take the clock of the device for its own', async () => {
    const { page, leave } = await scene.visit('about:blank');
    await page.addInitScript('const { now } = Date; Date.now = () => now() + 86_400_000');
    await page.goto(scene.host.pageFor(scene.frameUrl(await scene.tokenFor(), { lang: 'en' })));
    const content = page.frameLocator('iframe');
    await content.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => content.locator('.sales tbody tr').count()).toBe(23);
    expect(await content.getByText('Your session has ended').count()).toBe(0);
    await leave();
  });

  it('reports once that the server does not answer, and retries on request', async () => {
    const token = await scene.tokenFor();
    const { page, messages, leave } = await scene.visit('about:blank');
    await keepIntercepting(page.context());
    await page.route('**/api/embed/referrals/**', (route) => route.abort());
    await page.goto(scene.host.pageFor(scene.frameUrl(token, { lang: 'en' })));
    const content = page.frameLocator('iframe');
    await expect.poll(() => content.getByText('This could not be loaded').count()).toBe(5);
    await expect.poll(() => messages('ERROR')).toMatchObject([{ data: { code: 'NETWORK_ERROR' } }]);
    await page.unroute('**/api/embed/referrals/**');
    await content.getByRole('button', { name: 'Try again' }).first().click();
    await content.getByText('Clicks').waitFor();
    await leave();
  });

  it('stays blank on an origin that the program does not allow', async () => {
    const token = await scene.tokenFor();
    const { page, messages, leave } = await scene.visit('about:blank');
    await page.goto(scene.host.pageFor(scene.frameUrl(token)).replace('localhost', '127.0.0.1'));
    await page.waitForLoadState('networkidle');
    expect(page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
    expect(await page.evaluate('messages')).toEqual([]);
    expect(await messages('PAGE_HEIGHT')).toEqual([]);
    await leave();
  });
});

describe('a partner', () => {
  it.each([
    ['what a negative balance is', { usd: -5_000 }, ['-$50.00', 'Deducted from your next commissions']],
    [
      'which amount waits for its minimum',
      { eur: 9_000, usd: 900 },
      ['€90.00', '$9.00', 'Goes into the next payout\nPaid out from $50.00'],
    ],
  ])('is told %s, and never that it is paid out', async (name, amounts, texts) => {
    const body = { name, email: `${name.length}@example.com` };
    const { body: partner } = await scene.app.call('POST', '/api/partners', { body });
    for (const [currency, amount] of Object.entries(amounts)) {
      const adjustment = { partnerId: partner.id, amount, currency, reason: 'After the payout' };
      await scene.app.call('POST', '/api/adjustments', { body: adjustment });
    }
    const context = await scene.browser.newContext();
    const page = await context.newPage();
    await page.goto(scene.frameUrl(await scene.tokenFor({ enrollmentId: partner.id }), { lang: 'en' }));
    const tile = page.locator('.tile.available');
    await tile.waitFor();
    expect(await tile.locator('p').allInnerTexts()).toEqual(texts);
    await context.close();
  });

  it('keeps the focus on a button whose part could not be loaded, and returns it to what opened a statement', async () => {
    const context = await scene.browser.newContext();
    const page = await context.newPage();
    await page.goto(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
    await allLoaded(page);
    await page.getByRole('button', { name: 'Statement' }).first().click();
    await page.getByRole('button', { name: 'Print' }).waitFor();
    // paper has none
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.more').first().isVisible()).toBe(false);
    await page.emulateMedia({ media: null });
    await context.setOffline(true);
    for (const [name, part] of [
      ['Show more', page.locator('[aria-labelledby="earnings"]')],
      ['Save as CSV', page.locator('.statement')],
    ] as const) {
      const button = part.getByRole('button', { name });
      await button.press('Enter');
      await part.getByRole('alert').getByText('This could not be loaded.').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe(name);
      await context.setOffline(false);
      if (name === 'Save as CSV') await Promise.all([page.waitForEvent('download'), button.press('Enter')]);
      else await button.press('Enter');
      await part.getByRole('alert').waitFor({ state: 'detached' });
      await context.setOffline(true);
    }
    await page.locator('.statement').getByRole('button', { name: 'Close' }).press('Enter');
    expect(await page.locator('.statement').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Statement');
    await context.close();
  });

  it('keeps the focus in the list whose last page has come', async () => {
    const context = await scene.browser.newContext();
    const page = await context.newPage();
    await page.goto(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
    await allLoaded(page);
    const more = page.getByRole('region', { name: 'Earnings' }).getByRole('button', { name: 'Show more' });
    while ((await more.count()) > 0) {
      await more.press('Enter');
      await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
    }
    const place = () => page.evaluate('document.activeElement.closest("section")?.getAttribute("aria-labelledby")');
    await expect.poll(place).toBe('earnings');
    await context.close();
  });
});
