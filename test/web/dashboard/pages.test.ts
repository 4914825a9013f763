import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { someOf } from '../../helpers/rounds.ts';
import { accessibilityProblems, resize } from '../reference/visit.ts';
import { type BrowserApp, createBrowserApp, playExample, signInUrlOf } from './example.ts';
import { DIALOGS, EMPTY, PAGES } from './page-list.ts';
import { visitDashboard } from './visit.ts';

const FIRST_PAGE_BYTES_MAX = 200_000;
const BACKGROUND = 'getComputedStyle(document.documentElement).backgroundColor';
const DARK = 'rgb(16, 19, 23)';

let example: BrowserApp;
let signInUrl: () => Promise<string>;
let browser: Browser;

beforeAll(async () => {
  [example, browser] = await Promise.all([createBrowserApp(), sharedChromium()]);
  signInUrl = await playExample(example);
}, 300_000);
afterAll(async () => {
  await closePages(browser);
  await example.app.close();
});

/** Sent by the page itself, as its operator. */
const ADD_EVENT_ENDPOINT = `fetch('/api/event-endpoints', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ url: 'https://events.example.com/refbridge' }),
}).then(({ ok, status }) => { if (!ok) throw new Error(status); })`;

/** The share of the window that may move while a page loads; about 0.1 becomes noticeable. */
const SHIFT_MAX = 0.1;

function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name }).first().click();
}

/** A dialog that `open` opens; Escape closes it. */
async function auditDialog(page: Page, open: () => Promise<void>): Promise<void> {
  await open();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const name = await dialog.getAttribute('aria-label');
  expect(await accessibilityProblems(page, ['color-contrast', 'aria-valid-attr-value']), `${name}`).toEqual([]);
  await page.keyboard.press('Escape');
  // a closed one has no role any more, but is removed, and gives the focus back, a moment later
  await page.locator('dialog').waitFor({ state: 'detached' });
}

async function show(page: Page, address: string): Promise<void> {
  await page.goto(`${example.app.url}/dashboard${address.replace('+', '')}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  if (!address.endsWith('+')) return;
  await page.locator('tbody tr a').first().click();
  await page.locator('main dl').first().waitFor();
}

describe('every page of the dashboard', { timeout: 300_000 }, () => {
  it('is accessible in both themes, fits every screen, does not move, keeps its policy, and so do its dialogs', async () => {
    const { page, problems, leave } = await visitDashboard(browser, await signInUrl(), { colorScheme: 'light' });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.evaluate(ADD_EVENT_ENDPOINT);
    for (const address of someOf(PAGES)) {
      await show(page, address);
      expect(await page.evaluate('layoutShift'), `${address} moves`).toBeLessThan(SHIFT_MAX);
      expect(await accessibilityProblems(page), address).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(() => page.evaluate(BACKGROUND)).toBe(DARK);
      expect(await accessibilityProblems(page, ['color-contrast']), `${address} in the dark`).toEqual([]);
      for (const name of DIALOGS[address] ?? []) await auditDialog(page, () => press(page, name));
      await page.emulateMedia({ colorScheme: 'light' });
      for (const width of [390, 320, 1440]) {
        await resize(page, width);
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${address} at ${width}`).toBe(width);
      }
    }
    await auditDialog(page, () => page.keyboard.press('Control+k'));
    await auditDialog(page, () => page.keyboard.press('?'));
    expect(problems).toEqual([]);
    await leave();
  });

  it('teaches the next step while it is empty', async () => {
    const { page, leave } = await visitDashboard(browser, await signInUrlOf(example.app));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const [address, step] of someOf(EMPTY)) {
      await show(page, address);
      await page.getByText(step).first().waitFor();
      expect(await accessibilityProblems(page), address).toEqual([]);
    }
    await show(page, '/links');
    await press(page, 'New link');
    await page.getByRole('combobox', { name: 'Partner' }).click();
    await page.getByText('There is no partner to choose. Enroll one under Partners.').waitFor();
    await leave();
  });

  it('says what failed instead of showing a list, and shows the list once it can be read', async () => {
    const { page, leave } = await visitDashboard(browser, await signInUrl());
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const error = { code: 'INTERNAL_ERROR', message: 'The shelf is empty.' };
    await page.route('**/api/sales?*', (route) => route.fulfill({ status: 500, json: { error } }));
    await page.getByRole('link', { name: 'Sales', exact: true }).click();
    await page.getByRole('alert').getByText(error.message).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.unroute('**/api/sales?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('tbody tr a').first().waitFor();
    await leave();
  });

  it('shows an outgoing webhook at its own address, with what was sent', async () => {
    const { page, problems, leave } = await visitDashboard(browser, await signInUrl());
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.evaluate(ADD_EVENT_ENDPOINT);
    await show(page, '/connections');
    await page.getByRole('link', { name: 'events.example.com/refbridge' }).first().click();
    await page.reload();
    await auditDialog(page, () => page.getByText('Nothing was sent yet').waitFor());
    await expect.poll(() => page.url()).not.toContain('outgoing');
    expect(problems).toEqual([]);
    await leave();
  });
});

describe('the dashboard', () => {
  it('can be used by keyboard alone', async () => {
    const { page, problems, leave } = await visitDashboard(browser, await signInUrl());
    const clicks = page.getByRole('slider', { name: 'Clicks over time' });
    const figure = () => clicks.getAttribute('aria-valuetext');
    await clicks.focus();
    const last = await figure();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(figure).not.toBe(last);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).waitFor();
    await page.keyboard.type('cust');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Customers' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('user_1042 ');
    await expect.poll(() => page.url()).toContain('search=user_1042');
    // a next word may follow
    expect(await page.evaluate('document.activeElement.value')).toBe('user_1042 ');
    // the earlier rows stay until those of the search are loaded
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
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
    await show(page, '/payouts+');
    const first = page.url();
    await page.keyboard.press('j');
    await expect.poll(() => page.url()).not.toBe(first);
    await page.keyboard.press('k');
    await expect.poll(() => page.url()).toBe(first);
    expect(problems).toEqual([]);
    await leave();
  });

  it('filters by a clicked value, and shows the chosen theme from the first paint, except on paper', async () => {
    const { page, leave } = await visitDashboard(browser, await signInUrl(), { colorScheme: 'light' });
    await page.getByTitle('Dark theme').click();
    await show(page, '/deliveries');
    expect(await page.evaluate(BACKGROUND)).toBe(DARK);
    // paper is white, and has no navigation
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(BACKGROUND)).not.toBe(DARK);
    expect((await page.locator('main').boundingBox())?.width).toBe(1440);
    await show(page, '/partners+');
    // nothing can be pressed there, and a grid could begin with a blank sheet
    const detail = page.getByRole('region', { name: 'Partner', exact: true });
    expect(await detail.getByRole('button').count()).toBe(0);
    const display = `getComputedStyle(document.querySelector('section[aria-label="Partner"]').parentElement).display`;
    expect(await page.evaluate(display)).toBe('block');
    await page.emulateMedia({ media: null });
    await show(page, '/deliveries');
    await page.getByTitle('Only this outcome').filter({ hasText: 'Sale' }).first().click();
    await expect.poll(() => page.url()).toContain('outcome=sale');
    const outcomes = async () => new Set(await page.getByTitle('Only this outcome').allInnerTexts());
    await expect.poll(outcomes).toEqual(new Set(['Sale']));
    await page.goBack();
    await expect.poll(async () => (await outcomes()).size).toBeGreaterThan(1);
    await leave();
  });

  it('loads at most 200 KB for its first page, in few files', async () => {
    const { page, leave } = await visitDashboard(browser, await signInUrl());
    await page.getByRole('slider').first().waitFor();
    const script = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).map(({ encodedBodySize }) => encodedBodySize)`;
    const sizes: number[] = await page.evaluate(script);
    expect([4, 5, 6, 7]).toContain(sizes.length);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_PAGE_BYTES_MAX);
    await leave();
  });

  it('shows the real portal while its appearance is edited, in light and dark', async () => {
    const { page, problems, leave } = await visitDashboard(browser, await signInUrl());
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await show(page, '/program?tab=portal');
    const light = page.frameLocator('iframe[title*="light"]');
    const dark = page.frameLocator('iframe[title*="dark"]');
    await light.getByRole('heading', { name: 'Your link' }).waitFor();
    await dark.getByRole('heading', { name: 'Your link' }).waitFor();
    await page.getByLabel('Title', { exact: true }).fill('Friends of Fern');
    await page.getByLabel('Colors, dark').fill('--primary: #ff00aa;');
    await page.getByLabel('Earnings').uncheck();
    for (const portal of [light, dark]) {
      await portal.getByRole('heading', { name: 'Friends of Fern' }).waitFor();
      await expect.poll(() => portal.getByRole('heading', { name: 'Earnings' }).count()).toBe(0);
    }
    const primary = (portal: typeof light) =>
      portal.locator('html').evaluate('getComputedStyle(document.documentElement).getPropertyValue("--primary")');
    expect(await primary(dark)).toBe('#ff00aa');
    expect(await primary(light)).not.toBe('#ff00aa');
    // its full height, so that nothing scrolls inside
    const heights = () =>
      page.evaluate<number[]>(`(() => {
        const frame = document.querySelector('iframe');
        return [frame.clientHeight, frame.contentDocument.getElementById('portal').getBoundingClientRect().height];
      })()`);
    await expect
      .poll(async () => {
        const [ofFrame = 0, ofPortal = 0] = await heights();
        return ofPortal > 400 && ofFrame >= ofPortal && ofFrame - ofPortal <= 2;
      })
      .toBe(true);
    await show(page, '/program?tab=links');
    await page.getByLabel('Links that do not exist').fill('https://shop.example.com/lost');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.reload();
    await expect
      .poll(() => page.getByLabel('Links that do not exist').inputValue())
      .toBe('https://shop.example.com/lost');
    expect(problems).toEqual([]);
    await leave();
  });
});
