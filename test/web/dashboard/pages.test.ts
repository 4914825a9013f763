import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../../helpers/chromium.ts';
import { accessibilityProblems } from '../reference/visit.ts';
import { type BrowserApp, createBrowserApp, playExample, signInUrlOf } from './example.ts';
import { visitDashboard } from './visit.ts';

const FIRST_PAGE_BYTES_MAX = 200_000;

/** Every page, and the tabs of those that have some; `+` opens the first row. */
const PAGES = [
  '/',
  '/sales+',
  '/unattributed+',
  '/customers+',
  '/partners+',
  '/links+',
  '/payouts+',
  '/ledger',
  '/deliveries+',
  '/connections+',
  '/program',
  '/program?tab=portal',
  '/program?tab=origins',
  '/settings',
  '/settings?tab=operators',
  '/settings?tab=you',
  '/settings?tab=sessions',
  '/settings?tab=log',
];

/** What an account without anything reads. */
const EMPTY: readonly (readonly [address: string, step: string])[] = [
  ['/', 'Connect a payment processor'],
  ['/sales', '/api/track/sale'],
  ['/unattributed', 'Every payment found its place'],
  ['/customers', '/api/track/lead'],
  ['/partners', '/api/partners'],
  ['/links', 'No link yet'],
  ['/payouts', 'No payout yet'],
  ['/ledger', 'The ledger is empty'],
  ['/deliveries', 'Connect a processor'],
  ['/connections', 'No processor is connected'],
];

let example: BrowserApp;
let signInUrl: () => Promise<string>;
let browser: Browser;

beforeAll(async () => {
  [example, browser] = await Promise.all([createBrowserApp(), launchChromium()]);
  signInUrl = await playExample(example);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await example.app.close();
});

async function show(page: Page, address: string): Promise<void> {
  await page.goto(`${example.app.url}/dashboard${address.replace('+', '')}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  if (!address.endsWith('+')) return;
  await page.locator('tbody tr a').first().click();
  await page.locator('main dl').first().waitFor();
}

describe('every page of the dashboard', { timeout: 120_000 }, () => {
  // the page's policy blocks the audit script as well
  const audited = async (url: string, colorScheme: 'light' | 'dark') => {
    const visit = await visitDashboard(browser, url, { colorScheme, bypassCSP: true });
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
    return visit;
  };

  it('is accessible, and so are its dialogs', async () => {
    const { page, leave } = await audited(await signInUrl(), 'light');
    for (const address of PAGES) {
      await show(page, address);
      expect(await accessibilityProblems(page), address).toEqual([]);
    }
    await show(page, '/partners');
    for (const open of [() => page.keyboard.press('Control+k'), () => page.getByText('New partner').click()]) {
      await open();
      await page.getByRole('dialog').waitFor();
      expect(await accessibilityProblems(page, ['color-contrast', 'aria-valid-attr-value'])).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await leave();
  });

  it('is legible in its dark theme', async () => {
    const { page, leave } = await audited(await signInUrl(), 'dark');
    for (const address of PAGES) {
      await show(page, address);
      expect(await accessibilityProblems(page, ['color-contrast']), address).toEqual([]);
    }
    await leave();
  });

  it('teaches the next step while it is empty', async () => {
    const { page, leave } = await audited(await signInUrlOf(example.app), 'light');
    for (const [address, step] of EMPTY) {
      await show(page, address);
      await page.getByText(step).first().waitFor();
      expect(await accessibilityProblems(page), address).toEqual([]);
    }
    await leave();
  });

  it('keeps its policy, throws nothing, and fits screens of 1440, 390 and 320 pixels', async () => {
    const { page, problems, leave } = await visitDashboard(browser, await signInUrl());
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const address of PAGES) {
      await show(page, address);
      for (const width of [1440, 390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${address} at ${width}`).toBe(width);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    expect(problems).toEqual([]);
    await leave();
  });
});

describe('the dashboard', { timeout: 60_000 }, () => {
  it('is passed through by keyboard alone', async () => {
    const { page, problems, leave } = await visitDashboard(browser, await signInUrl());
    await page.getByRole('slider', { name: 'Clicks over time' }).focus();
    const figure = () => page.getByRole('slider', { name: 'Clicks over time' }).getAttribute('aria-valuetext');
    const last = await figure();
    await page.keyboard.press('ArrowLeft');
    expect(await figure()).not.toBe(last);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cust');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Customers' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('user_1042');
    await expect.poll(() => page.url()).toContain('search=user_1042');
    await page
      .getByRole('row', { name: /user_1042/ })
      .getByRole('link')
      .first()
      .focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Customer', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Customer', exact: true }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('/dashboard/customers?search=user_1042');
    expect(problems).toEqual([]);
    await leave();
  });

  it('filters by a value that is clicked, and shows the chosen theme from the first paint', async () => {
    const { page, leave } = await visitDashboard(browser, await signInUrl(), { colorScheme: 'light' });
    await page.getByTitle('Dark theme').click();
    await show(page, '/deliveries');
    const background = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    expect(background).toBe('rgb(16, 19, 23)');
    await page.getByTitle('Only this outcome').filter({ hasText: 'Sale' }).first().click();
    await expect.poll(() => page.url()).toContain('outcome=sale');
    const outcomes = async () => new Set(await page.getByTitle('Only this outcome').allInnerTexts());
    await expect.poll(outcomes).toEqual(new Set(['Sale']));
    await page.goBack();
    await expect.poll(async () => (await outcomes()).size).toBeGreaterThan(1);
    await leave();
  });

  it('loads at most 200 KB for its first page', async () => {
    const { page, leave } = await visitDashboard(browser, await signInUrl());
    await page.getByRole('slider').first().waitFor();
    const script = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).map(({ encodedBodySize }) => encodedBodySize)`;
    const sizes: number[] = await page.evaluate(script);
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_PAGE_BYTES_MAX);
    await leave();
  });
});
