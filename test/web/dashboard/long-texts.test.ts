import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payoutsOf, runPayouts, sell } from '../../helpers/earning.ts';
import { createEndpoint, createReferrer } from '../../helpers/story.ts';
import { checkoutCompleted, stripeEvent } from '../../helpers/stripe-payloads.ts';
import { resize } from '../reference/visit.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './example.ts';
import { openScene, type Scene } from './scene.ts';
import { visitDashboard } from './visit.ts';

/** As long as a text may be, without a place to break it. */
const LONG = 'w'.repeat(255);
/** The largest amount of a sale: $10,000,000,000.00. */
const AMOUNT = 1_000_000_000_000;

let scene: Scene;

beforeAll(async () => {
  const example = await createBrowserApp();
  await fill(example);
  scene = await openScene(example, { viewport: { width: 320, height: 900 } });
});
afterAll(() => scene.close());

/** One of everything, with texts and amounts as long as they may be. */
async function fill({ app }: BrowserApp): Promise<void> {
  await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0 } });
  const referrer = await createReferrer(app, { name: LONG, tenantId: LONG, discountCodes: [LONG.slice(0, 100)] });
  const clickId = await referrer.lead(LONG, { customerName: LONG, eventName: LONG, metadata: { [LONG]: LONG } });
  const sale = { clickId, customerExternalId: LONG, amount: AMOUNT, eventName: LONG, metadata: { [LONG]: LONG } };
  const sold = await app.call('POST', '/api/track/sale', { body: { ...sale, invoiceId: LONG } });
  expect(sold.status, sold.text).toBe(200);
  const refund = { invoiceId: LONG, refundId: LONG.slice(1), amount: AMOUNT / 2 };
  expect((await app.call('POST', '/api/refunds', { body: refund })).status).toBe(201);
  const stripe = await createEndpoint(app, 'stripe');
  await stripe.deliver(
    checkoutCompleted({ externalId: `${LONG.slice(1)}v`, amount: AMOUNT, paymentIntent: LONG.slice(3) }),
  );
  await stripe.deliver(stripeEvent(LONG, {}));
  const body = { partnerId: referrer.partnerId, amount: AMOUNT, currency: 'usd', reason: LONG };
  const adjusted = await app.call('POST', '/api/adjustments', { body });
  expect(adjusted.status, adjusted.text).toBe(201);
  await runPayouts(app);
}

/** What reaches beyond the window or its place, except what is truncated or scrolls: each with its text, shortened. */
const CUT_OFF = `[...document.querySelectorAll('main *')]
  .filter((one) => {
    if (one.closest('table, .overflow-auto, .truncate') !== null) return false;
    const { right, width } = one.getBoundingClientRect();
    const isBeyond = width > 0 && right > innerWidth + 0.5;
    return isBeyond || (one.matches('h2, dd, li, p') && one.scrollWidth > one.clientWidth && one.clientWidth > 0);
  })
  .map((one) => one.tagName + '.' + one.className + ' ' + (one.textContent ?? '').slice(0, 30))`;

/** The amounts in a list that are truncated. */
const CUT_AMOUNTS = `[...document.querySelectorAll('td')]
  .filter(({ textContent, scrollWidth, clientWidth }) => /\\d\\.\\d\\d$|٫[٠-٩]{2}/.test(textContent) && scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

/** On how many lines each part of the title of what is open is. */
const LINES_OF_TITLE = `(() => {
  const parts = document.createTreeWalker(document.querySelector('section[aria-label] h2'), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const lines = [];
  while (parts.nextNode()) {
    range.selectNodeContents(parts.currentNode);
    lines.push(range.getClientRects().length);
  }
  return lines;
})()`;

/** @param row the row of the list to open, from its start, or from its end if negative */
async function open(page: Page, address: string, row: number): Promise<void> {
  await page.goto(`${scene.app.url}/dashboard${address}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.goto(
    new URL((await page.locator('tbody tr').nth(row).locator('a').first().getAttribute('href')) ?? '', page.url()).href,
  );
  await page.locator('main dl').first().waitFor();
}

describe('the longest texts and amounts', () => {
  it.each([
    ['/sales', 0],
    ['/unattributed', 0],
    ['/customers', 0],
    ['/partners', 0],
    ['/links', 0],
    ['/payouts', 0],
    ['/payouts', -1],
    ['/deliveries', 0],
    ['/deliveries', -1],
  ])('fit beside the list of %s (row %i), in both themes, on the narrowest screen', async (address, row) => {
    const { page } = scene;
    await open(page, address, row);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [320, 390, 1440]) {
        await resize(page, width);
        expect(await page.evaluate(CUT_OFF), `at ${width}`).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    }
  });

  it('leave every amount of a list whole, whatever its length', async () => {
    const { page } = scene;
    const referrer = await createReferrer(scene.app, { name: 'Ana' });
    for (const amount of [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]) {
      await sell(scene.app, referrer, { amount: 8 * amount });
    }
    for (const address of ['/', '/sales', '/ledger', '/payouts']) {
      await page.goto(`${scene.app.url}/dashboard${address}`);
      await page.locator('tbody tr a').first().waitFor();
      for (const width of [320, 390, 1440]) {
        await resize(page, width);
        expect(await page.evaluate(CUT_AMOUNTS), `${address} at ${width}`).toEqual([]);
      }
    }
  });

  it('leave the number of an amount on one line, if it has room there without the code of its currency', async () => {
    const { page } = scene;
    const referrer = await createReferrer(scene.app, { name: 'Kim' });
    await sell(scene.app, referrer, { amount: 12_345_678, currency: 'kwd' });
    await resize(page, 390);
    await page.goto(`${scene.app.url}/dashboard/sales`);
    const number = page.getByText('12,345.678', { exact: true });
    await number.waitFor({ timeout: 10_000 });
    expect((await number.boundingBox())?.height).toBeLessThan(24);
  });

  it('leave an amount of hundreds of millions on one line on a phone, and beside an open payout', async () => {
    const { page } = scene;
    const referrer = await createReferrer(scene.app, { name: 'Lee' });
    await sell(scene.app, referrer, { amount: 98_765_432_101 });
    await runPayouts(scene.app);
    const payout = (await payoutsOf(scene.app, referrer.partnerId))[0];
    for (const [address, width, text] of [
      ['/sales', 390, '$987,654,321.01'],
      ['/payouts', 390, '$197,530,864.20'],
      [`/payouts/${payout.id}`, 1440, '$197,530,864.20'],
    ] as const) {
      await resize(page, width);
      await page.goto(`${scene.app.url}/dashboard${address}`);
      const amount = page.locator('td').getByText(text, { exact: true }).first();
      expect((await amount.boundingBox())?.height, address).toBeLessThan(24);
    }
  });

  it('break the type of an event between its words, not inside of them', async () => {
    const { page } = scene;
    const stripe = await createEndpoint(scene.app, 'stripe');
    await stripe.deliver(stripeEvent('customer.subscription.trial_will_end', {}));
    await resize(page, 1440);
    await open(page, '/deliveries', 0);
    const title = page.getByRole('heading', { name: 'customer.subscription.trial_will_end' });
    await title.waitFor();
    expect(await page.evaluate(LINES_OF_TITLE)).toEqual([1, 1, 1, 1, 1]);
  });

  it('are truncated at their end, also where a partner is named from right to left', async () => {
    const { page } = scene;
    const referrer = await createReferrer(scene.app, { name: 'محمد بن عبد الله الفارسي' });
    await sell(scene.app, referrer);
    const details = { rail: 'paypal', email: 'ana@example.com' };
    await scene.app.call('PUT', `/api/partners/${referrer.partnerId}/payout-details`, { body: details });
    await runPayouts(scene.app);
    const file = await scene.app.call('POST', '/api/payouts/files', { body: { rail: 'paypal', currency: 'usd' } });
    expect(file.status, file.text).toBe(201);
    for (const [address, width] of [
      [`/payout-files/${file.body.id}`, 320],
      ['/customers', 320],
      ['/', 320],
      ['/', 1280],
    ] as const) {
      // rows far from the screen are not rendered
      await resize(page, width, 3_000);
      await page.goto(`${scene.app.url}/dashboard${address}`);
      const name = page.getByRole('link', { name: /^محمد/ }).first();
      expect(await name.evaluate((link) => link.matches(':dir(rtl)')), `${address} at ${width}`).toBe(true);
    }
  });

  it('leave an amount whole in Arabic digits, too', async () => {
    const { page, leave } = await visitDashboard(scene.browser, await signInUrlOf(scene.app), { locale: 'ar-EG' });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${scene.app.url}/dashboard/sales`);
    await page
      .getByRole('row', { name: /[٠-٩]٫٠٠/ })
      .first()
      .waitFor();
    for (const width of [320, 390, 1280]) {
      await resize(page, width);
      expect(await page.evaluate(CUT_AMOUNTS), `at ${width}`).toEqual([]);
    }
    await leave();
  });
});
