import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../../src/app/route.ts';
import { EVENT_TYPES, TEST_EVENT_TYPE } from '../../../src/core/event.ts';
import { createRoutes } from '../../../src/http/routes.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { rounds } from '../../helpers/rounds.ts';
import { accessibilityProblems, visitReference } from './visit.ts';

const WIDE = { width: 1440, height: 900 };

const routes: readonly Route[] = createRoutes();
let app: TestApp;
let browser: Browser;
let url: string;

beforeAll(async () => {
  [app, browser] = await Promise.all([createTestApp('sqlite'), sharedChromium()]);
  url = `${app.url}/docs/api`;
});
afterAll(async () => {
  await closePages(browser);
  await app.close();
});

describe('the API reference without JavaScript', () => {
  it('shows every operation with its path, summary and samples, and every event', async () => {
    const { page, problems, leave } = await visitReference(browser, url, { javaScriptEnabled: false, viewport: WIDE });
    const operations = page.locator('.operation');
    const ids = await operations.evaluateAll((elements) => elements.map(({ id }) => id));
    expect(ids.toSorted()).toEqual(routes.map(({ operationId }) => operationId).sort());
    const visible = await operations.allInnerTexts();
    const texts = new Map(ids.map((id, index) => [id, visible[index]]));
    for (const { operationId, method, path, summary } of routes) {
      const text = texts.get(operationId) ?? '';
      expect(text).toContain(summary);
      expect(text.replaceAll('\n', ' ')).toContain(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    }
    const events = page.locator('.sent > .fields .name');
    expect((await events.allInnerTexts()).toSorted()).toEqual([...EVENT_TYPES, TEST_EVENT_TYPE].toSorted());
    // links in Markdown that were not rendered
    expect((await page.locator('main').textContent())?.match(/\S+\]\(\S+/g)).toBeNull();
    expect(problems).toEqual([]);
    await leave();
  });

  it('expands what is folded, and has no button without a function', async () => {
    const { page, leave } = await visitReference(browser, url, { javaScriptEnabled: false, viewport: WIDE });
    const errors = page.locator('#createLink .errors');
    expect(await errors.getByText('CONFLICT').isVisible()).toBe(false);
    await errors.locator('summary').click();
    expect(await errors.getByText('CONFLICT').isVisible()).toBe(true);
    await page.locator('#createLink .sample summary', { hasText: 'TypeScript' }).click();
    expect(await page.locator('#createLink').getByText('await fetch(').isVisible()).toBe(true);
    // alternates between the two calling styles
    expect(await page.locator('#createLink').getByText('REFBRIDGE_API_KEY').isVisible()).toBe(false);
    expect(await page.locator('button').count()).toBe(0);
    await leave();
  });
});

describe('the API reference', () => {
  it('takes a reader of a deep link to the operation, and marks it in the contents', async () => {
    const { page, problems, leave } = await visitReference(browser, `${url}#listDeliveries`, { viewport: WIDE });
    await expect.poll(async () => (await page.locator('#listDeliveries').boundingBox())?.y ?? -1).toBeLessThan(200);
    expect((await page.locator('#listDeliveries').boundingBox())?.y).toBeGreaterThanOrEqual(0);
    const current = page.locator('.side [aria-current]');
    await expect.poll(() => current.getAttribute('href')).toBe('#listDeliveries');
    expect(await current.isVisible()).toBe(true);
    expect(problems).toEqual([]);
    await leave();
  });

  it('has no dead internal links', async () => {
    const { page, leave } = await visitReference(browser, url, { viewport: WIDE });
    const broken = await page.evaluate(
      `[...document.querySelectorAll('a[href^="#"]')].map((link) => link.hash.slice(1)).filter((id) => !document.getElementById(id))`,
    );
    expect(broken).toEqual([]);
    const repeated = await page.evaluate(
      `[...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, index, all) => all.indexOf(id) < index)`,
    );
    expect(repeated).toEqual([]);
    await leave();
  });

  it('finds operations by any of their words', async () => {
    const { page, leave } = await visitReference(browser, url, { viewport: WIDE });
    const entries = page.locator('.side li:visible');
    const all = await entries.count();
    expect(all).toBeGreaterThan(routes.length);
    await page.locator('.side .filter').fill('post PAYOUTS run');
    expect(await entries.allInnerTexts()).toEqual([expect.stringContaining('POST')]);
    await page.locator('.side .filter').fill('');
    expect(await entries.count()).toBe(all);
    await leave();
  });

  it('copies a sample', async () => {
    const visit = await visitReference(browser, url.replace('127.0.0.1', 'localhost'), {
      viewport: WIDE,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const sample = visit.page.locator('#createLink .sample').first();
    await sample.locator('button').click();
    await expect.poll(() => sample.locator('button').textContent()).toBe('Copied');
    const copied: string = await visit.page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('curl https://refer.example.com/api/links');
    expect(copied).toBe(await sample.locator('pre').textContent());
    expect(visit.problems).toEqual([]);
    await visit.leave();
  });

  it('remembers the chosen theme', async () => {
    const { page, problems, leave } = await visitReference(browser, url, { viewport: WIDE, colorScheme: 'light' });
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    expect(await background()).toBe('rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click();
    const dark = await background();
    expect(dark).not.toBe('rgb(255, 255, 255)');
    await page.reload();
    expect(await background()).toBe(dark);
    await page.getByRole('button', { name: 'Switch to the light theme' }).click();
    expect(await background()).toBe('rgb(255, 255, 255)');
    expect(problems).toEqual([]);
    await leave();
  });

  it.each([
    [1440, 'light'],
    [768, 'dark'],
    [390, 'light'],
    [320, 'dark'],
  ] as const)('fits a screen of %d pixels, in its %s theme', async (width, colorScheme) => {
    const viewport = { width, height: 844 };
    const { page, problems, leave } = await visitReference(browser, url, { viewport, colorScheme });
    await page.evaluate(`for (const folded of document.querySelectorAll('main details')) folded.open = true`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(problems).toEqual([]);
    await leave();
  });

  it('has a menu on small screens that closes after a choice', async () => {
    const { page, leave } = await visitReference(browser, url, { viewport: { width: 390, height: 844 } });
    expect(await page.locator('.side').isVisible()).toBe(false);
    await page.locator('.menu summary').click();
    await page.locator('.menu a[href="#createPartner"]').click();
    expect(await page.locator('.menu nav').isVisible()).toBe(false);
    expect(page.url()).toBe(`${url}#createPartner`);
    await leave();
  });

  it.each([
    ['light', WIDE],
    ['dark', { width: 390, height: 844 }],
  ] as const)('is accessible, in its %s theme', async (colorScheme, viewport) => {
    const { page, leave } = await visitReference(browser, url, { viewport, colorScheme });
    // some of the operations, which are alike; of the contents, all
    await page.evaluate(`{
      const operations = [...document.querySelectorAll('.operation')].sort(() => Math.random() - 0.5);
      for (const left of operations.slice(${rounds(routes.length)})) left.remove();
    }`);
    // its other rules do not depend on colours or the width
    const rules = colorScheme === 'dark' ? ['color-contrast', 'scrollable-region-focusable'] : undefined;
    expect(await accessibilityProblems(page, rules)).toEqual([]);
    await leave();
  });
});
