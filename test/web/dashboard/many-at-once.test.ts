import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../../helpers/chromium.ts';
import { runPayouts, sell } from '../../helpers/earning.ts';
import { invite } from '../../helpers/operators.ts';
import { createEndpoint, createReferrer, type Referrer } from '../../helpers/story.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';
import { accessibilityProblems } from '../reference/visit.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './example.ts';
import { END_TRANSITIONS, type Visit, visitDashboard } from './visit.ts';

const DAY_MS = 86_400_000;
const PARKED = 8;

let example: BrowserApp;
let browser: Browser;
let visit: Visit;
let ana: Referrer;

beforeAll(async () => {
  [example, browser] = await Promise.all([createBrowserApp(), launchChromium()]);
  const { app, clock } = example;
  ana = await createReferrer(app, { name: 'Ana' });
  const ben = await createReferrer(app, { name: 'Ben' });
  clock.now = Date.now() - 40 * DAY_MS;
  for (const referrer of [ana, ana, ben]) await sell(app, referrer, { amount: 4_900 });
  clock.now = 0;
  for (const amount of [10_000, 20_000, 30_050]) await sell(app, ana, { amount });
  await sell(app, ben, { amount: 700, currency: 'eur' });
  const stripe = await createEndpoint(app, 'stripe');
  for (let number = 1; number <= PARKED; number += 1) await stripe.deliver(checkoutCompleted({ amount: number * 100 }));
  await runPayouts(app);
  visit = await visitDashboard(browser, await signInUrlOf(app));
  await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await example.app.close();
});

const listOf = async (path: string) => (await example.app.call('GET', path)).body.data;
const textOf = async (page: Page, name: string) =>
  ((await page.getByRole('region', { name }).textContent()) ?? '').replaceAll(/\s+/g, ' ');

async function show(address: string): Promise<Page> {
  const { page } = visit;
  await page.goto(`${example.app.url}/dashboard${address}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('table[aria-busy="false"]').waitFor();
  return page;
}

/** In both themes and at every width, with what is open; a dialog hides everything else. */
async function audit(page: Page, rules?: readonly string[]): Promise<void> {
  await page.evaluate(END_TRANSITIONS);
  expect(await accessibilityProblems(page, rules)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(END_TRANSITIONS);
  expect(await accessibilityProblems(page, ['color-contrast'])).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  for (const width of [390, 320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
}

describe('the dates of a list', { timeout: 60_000 }, () => {
  it('are chosen by keyboard, stand in the address, and have the totals that the API has', async () => {
    const page = await show('/sales');
    const date = page.getByRole('button', { name: 'Date: any' });
    await date.press('Enter');
    await page.getByRole('button', { name: 'Last 7 days' }).press('Enter');
    await expect.poll(() => page.url()).toContain('/sales?period=7d');
    await expect.poll(() => textOf(page, 'Totals')).toContain('$600.50 + €7.00 revenue');
    expect(await textOf(page, 'Totals')).toContain('4 sales');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(4);
    await page.getByRole('row', { name: /Ben/ }).getByTitle('Only this partner: Ben').click();
    await expect.poll(() => textOf(page, 'Totals')).toMatch(/^1 sale€7\.00 revenue€1\.40 commission/);
    const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    const { text } = await example.app.call('GET', csv ?? '');
    expect(text.trim().split('\n')).toHaveLength(2);
  });

  it('may be any days, but not the last before the first', async () => {
    const page = await show('/sales');
    const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
    await page.getByRole('button', { name: 'Date: any' }).click();
    await page.getByLabel('From').fill(day(40));
    await page.getByLabel('To, included').fill(day(41));
    await page.getByText('It is before the first day.').waitFor();
    expect(await page.getByRole('button', { name: 'Show these days' }).isDisabled()).toBe(true);
    await audit(page);
    await page.getByLabel('To, included').fill(day(40));
    await page.getByLabel('To, included').press('Enter');
    await expect.poll(() => page.url()).toContain(`period=${day(40)}..${day(40)}`);
    await expect.poll(() => textOf(page, 'Totals')).toMatch(/^3 sales\$147\.00 revenue/);
    await page
      .getByRole('button', { expanded: false })
      .filter({ hasText: /20\d\d$/ })
      .click();
    await page.getByRole('button', { name: 'Any date' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(7);
  });

  it.each([
    ['/sales?period=30d&status=pending', /^4 sales\$600\.50 \+ €7\.00 in all/],
    // more months than reports have
    ['/sales?period=1980-01-01..2099-12-31', /^7 sales\$747\.50 \+ €7\.00 in all/],
    ['/customers?period=today', /^4 customers/],
    ['/deliveries?period=7d', /^8 deliveries/],
    ['/unattributed?period=7d', /^8 payments\$36\.00 in all/],
    ['/payouts?period=2020-01-01..2099-12-31', /^\d payouts\$[\d.]+( \+ €1\.40)? collecting\$29\.40 to be paid/],
    ['/payouts?period=2020-01-01..2099-12-31&status=processing', /^2 payouts\$29\.40 to be paid/],
    ['/ledger?period=7d&kind=commission', /^4 entries\$120\.10 \+ €1\.40 in all/],
  ])('%s says what it comes to', async (address, totals) => {
    const page = await show(address);
    await expect.poll(() => textOf(page, 'Totals')).toMatch(totals);
  });

  it('narrow the results of links, and not the links', async () => {
    const page = await show('/links?period=2000-01-01..2000-01-31');
    const clicks = () => page.locator('tbody td:nth-child(3)').allTextContents();
    expect(await clicks()).toEqual(['0', '0']);
    await page.getByRole('button', { name: 'Jan 1 – 31, 2000' }).click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    // a sale of each link came by a click of its own
    await expect.poll(clicks).toEqual(['1', '3']);
  });

  it('come to what a partner earned, however many entries there are', async () => {
    const page = await show(`/ledger?period=7d&partnerId=${ana.partnerId}`);
    await expect.poll(() => textOf(page, 'Totals')).toMatch(/^3 entries\$120\.10 in all\$120\.10 earned/);
  });
});

describe('rows that are chosen', { timeout: 60_000 }, () => {
  it('are none for somebody who may only read', async () => {
    const { code } = await invite(example.app, 'viewer');
    const { page, leave } = await visitDashboard(browser, `${example.app.url}/dashboard/sign-in#code=${code}`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${example.app.url}/dashboard/unattributed`);
    await page.locator('tbody a').first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await leave();
  });

  it('are a range by Shift or by the keys, and go with Escape', async () => {
    const page = await show('/unattributed');
    const boxes = page.locator('tbody input[type="checkbox"]');
    await boxes.nth(1).click();
    await boxes.nth(4).click({ modifiers: ['Shift'] });
    expect(await textOf(page, 'Selection')).toMatch(/^4 payments selected\$22\.00/);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' });
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await expect.poll(() => textOf(page, 'Selection')).toMatch(/^3 payments selected\$21\.00/);
    await page.keyboard.press('x');
    await expect.poll(() => textOf(page, 'Selection')).toMatch(/^2 payments selected\$15\.00/);
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await expect.poll(() => textOf(page, 'Selection')).toMatch(/^8 payments selected\$36\.00/);
    await audit(page);
    await page.keyboard.press('Escape');
  });

  it('are attributed at once; what failed says why, stays chosen, and can be tried again', async () => {
    const page = await show('/unattributed');
    const [first] = await listOf('/api/parked-payments');
    const address = `**/api/parked-payments/${first.id}/attribute`;
    const error = { code: 'UNAVAILABLE', message: 'The database is full.' };
    await page.route(address, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.getByRole('checkbox', { name: 'Select all' }).press('Space');
    const attribute = async () => {
      await page.getByRole('button', { name: 'Attribute to a partner' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox').pressSequentially('Ana');
      await dialog.getByRole('option', { name: /Ana/ }).waitFor();
      await page.keyboard.press('Enter');
      await audit(page, ['color-contrast', 'aria-valid-attr-value', 'label', 'button-name']);
      await dialog.getByRole('button', { name: 'Attribute to a partner' }).click();
    };
    await attribute();
    await page.getByText('7 payments attributed, 1 failed and is still selected.').waitFor();
    expect(await page.getByRole('list', { name: 'What failed' }).textContent()).toContain(error.message);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(await page.locator('tbody input:checked').count()).toBe(1);
    expect(await listOf('/api/parked-payments')).toHaveLength(1);
    await audit(page);
    await page.unroute(address);
    await attribute();
    await page.getByText('Every payment found its place').waitFor();
    await page.getByText('1 payment attributed.').waitFor();
    const sales = await listOf(`/api/sales?partnerId=${ana.partnerId}&limit=100`);
    expect(sales).toHaveLength(5 + PARKED);
    expect(await textOf(page, 'Selection')).not.toContain('selected');
  });

  it('of the payouts to be paid are marked as paid with one note, after saying how many and what', async () => {
    const page = await show('/payouts?status=processing');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Mark as paid' }).click();
    const dialog = page.getByRole('dialog', { name: 'Mark 2 payouts as paid?' });
    expect(await dialog.textContent()).toContain('Together $29.40');
    await dialog.getByLabel('Note').fill('Batch 7');
    await dialog.getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByText('2 payouts marked as paid.').waitFor();
    expect(await listOf('/api/payouts?status=paid')).toMatchObject([{ note: 'Batch 7' }, { note: 'Batch 7' }]);
  });

  it('under review are rejected at once, with one reason in the story of each', async () => {
    const { app } = example;
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { selfReferral: 'flag' } });
    const email = 'paula@example.com';
    const paula = await createReferrer(app, { name: 'Paula', email });
    const ids = [await sell(app, paula, { customerEmail: email }), await sell(app, paula, { customerEmail: email })];
    const page = await show('/sales?review=flagged');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject 2 sales?' });
    await dialog.getByLabel('Reason').fill('Their own card');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('2 sales rejected.').waitFor();
    await page.getByText('Nothing fits these filters').waitFor();
    for (const id of ids) {
      const { body } = await app.call('GET', `/api/sales/${id}`);
      expect([body.review, JSON.stringify(body.attribution.steps)]).toEqual([
        'rejected',
        expect.stringContaining('Their own card'),
      ]);
    }
  });

  it('that were given up are processed again; one that fails again says why', async () => {
    const [first, second] = await listOf('/api/deliveries');
    await example.app.service.database.write((tx) =>
      tx.run("UPDATE deliveries SET status = 'dead', outcome = 'failed' WHERE id IN (@first, @second)", {
        first: first.id,
        second: second.id,
      }),
    );
    const page = await show('/deliveries?status=dead');
    await page.route(`**/api/deliveries/${first.id}/retry`, (route) =>
      route.fulfill({ json: { received: true, outcome: 'failed' } }),
    );
    await page.route(`**/api/deliveries/${first.id}`, (route) =>
      route.fulfill({ json: { ...first, reason: 'Its amount is no number' } }),
    );
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Process again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Process again' }).click();
    await page.getByText('1 delivery processed, 1 failed and is still selected.').waitFor();
    expect(await page.getByRole('list', { name: 'What failed' }).textContent()).toContain('Its amount is no number');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(await listOf('/api/deliveries?status=dead')).toMatchObject([{ id: first.id }]);
    await page.unrouteAll();
  });

  it('break no rule of the page', () => {
    expect(visit.problems).toEqual([]);
  });
});
