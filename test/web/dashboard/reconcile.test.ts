import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { createReferrer } from '../../helpers/story.ts';
import { checkoutCompleted, stripeEvent } from '../../helpers/stripe-payloads.ts';
import { resize } from '../reference/visit.ts';
import { auditOf } from './list-scene.ts';
import { BOOK, createReconcileScene, DAY, LOOK, type ReconcileScene } from './reconcile-scene.ts';

const FIRST_PAGE_SIZE = 50;

let scene: ReconcileScene;
let page: Page;
let button: ReconcileScene['button'];
let shown: ReconcileScene['shown'];

beforeAll(async () => {
  scene = await createReconcileScene();
  ({ page, button, shown } = scene);
  const ana = await createReferrer(scene.app, { name: 'Ana' });
  await ana.lead('mara');
});
afterAll(() => scene.close());

/** What of the missing deliveries is wider than its place. */
const CUT_OFF = `[...document.querySelectorAll('section[aria-label="Missing"] *')]
  .filter((one) => one.scrollWidth > one.clientWidth && one.clientWidth > 0)
  .map((one) => one.className + ' ' + one.textContent.slice(0, 30))`;

const missing = (): Locator => page.getByRole('region', { name: 'Missing' }).getByRole('listitem');
const countOfSales = async () => (await scene.app.call('GET', '/api/sales?limit=100')).body.data.length;
const paid = (amount: number, currency = 'usd') => checkoutCompleted({ externalId: 'mara', amount, currency });

async function expectAccessible(): Promise<void> {
  expect(await auditOf(page)).toEqual([]);
}

describe('a reconciliation', () => {
  beforeEach(async () => {
    await scene.setToken('rk_live_of_a_test');
  });

  it('looks first, then books from the same day, and counts nothing twice', async () => {
    const before = await countOfSales();
    scene.api.pages = [[paid(4_900), paid(1_234_567, 'eur')], [checkoutCompleted({ amount: 700, currency: 'jpy' })]];
    await scene.open();
    await page.getByLabel('Since').fill(DAY);
    await button(LOOK).click();
    await shown('Starts in a moment…');
    expect(page.url()).toContain('?reconciliation=rec_');
    await scene.work();
    const found = ': 2 sales, 1 payment whose customer is unknown.';
    await shown(`3 of 3 are missing${found}`);
    await shown('Nothing was booked.');
    expect(await missing().count()).toBe(3);
    const euros = missing().filter({ hasText: '€12,345.67' });
    await euros.getByRole('link', { name: 'Ana' }).waitFor();
    await euros.getByText('Commission €2,469.13').waitFor();
    await missing().filter({ hasText: '¥700' }).getByText('Unattributed').waitFor();
    expect(await countOfSales()).toBe(before);
    await expectAccessible();
    await button(BOOK).click();
    await shown('Starts in a moment…');
    await scene.work();
    await shown(`3 of 3 were missing${found}`);
    await shown('The rest is booked. Payments whose customer is unknown wait in Unattributed.');
    expect(await countOfSales()).toBe(before + 2);
    const { data } = (await scene.app.call('GET', '/api/reconciliations?limit=2')).body;
    expect(data.map((run: { since: string; dryRun: boolean }) => [run.since, run.dryRun])).toEqual([
      [`${DAY}T00:00:00.000Z`, false],
      [`${DAY}T00:00:00.000Z`, true],
    ]);
    await expectAccessible();
    await euros.getByRole('link', { name: 'Open its sale' }).click();
    await page.getByRole('region', { name: 'Sale' }).getByText('€12,345.67').first().waitFor();
    await page.goBack();
    await euros.getByRole('link', { name: 'checkout.session.completed' }).click();
    await page.getByRole('region', { name: 'Delivery' }).waitFor();
    await page.goBack();
    await button('Another period').click();
    expect(await page.getByLabel('Since').inputValue()).not.toBe('');
    await button(BOOK).click();
    await shown('Starts in a moment…');
    await scene.work();
    await shown('Everything arrived.');
    expect(await countOfSales()).toBe(before + 2);
  });

  it('shows how far it is and what it waits for, with the keyboard alone, until it is canceled', async () => {
    scene.api.pages = [[paid(100)], new ServiceError('UNAVAILABLE', 'Stripe did not answer: status 503')];
    await scene.open();
    await button(LOOK).focus();
    await page.keyboard.press('Enter');
    await shown('Starts in a moment…');
    expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
    await scene.work(true);
    await expect.poll(() => page.locator('dl').first().textContent()).toBe('read1known0missing1');
    await scene.work(true);
    await shown('Waits, and tries again by itself. Stripe did not answer: status 503');
    expect(await page.getByRole('progressbar', { name: 'Reconciliation' }).count()).toBe(1);
    await expectAccessible();
    await button('Cancel').focus();
    await page.keyboard.press('Enter');
    // a double press is no answer
    await expect.poll(() => button('Really cancel?').isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
    await shown('Until then: 1 of 1 is missing: 1 sale.');
    await button('Start it again').waitFor();
  });

  it('that failed says why, and starts again', async () => {
    scene.api.pages = [
      new ServiceError('VALIDATION_ERROR', 'Stripe refused the access token for events (403): check it'),
    ];
    await scene.open();
    await button(BOOK).click();
    await shown('Starts in a moment…');
    await scene.work();
    await page.getByRole('alert').getByText('Stripe refused the access token for events (403): check it').waitFor();
    await shown('Nothing was booked.');
    await expectAccessible();
    scene.api.pages = [];
    await button('Start it again').click();
    await shown('Starts in a moment…');
    await scene.work();
    await shown('Nothing happened since then.');
  });

  it('says what the access token may not read, in its result', async () => {
    const what = 'orders that were created more than 60 days ago';
    scene.api.pages = [[checkoutCompleted({ amount: 800 })]];
    scene.api.notRead = [{ what, reason: 'the access token does not have the access scope read_all_orders' }];
    const id = await scene.start();
    await scene.work();
    await scene.open(`?reconciliation=${id}`);
    await shown('1 of 1 is missing: 1 payment whose customer is unknown.');
    const notRead = page.getByRole('list', { name: 'Not read' }).getByRole('listitem');
    expect(await notRead.allTextContents()).toEqual([
      `Not read: ${what}. Why: the access token does not have the access scope read_all_orders.`,
    ]);
    await expectAccessible();
    scene.api.pages = [];
    const nothing = await scene.start();
    await scene.work();
    await scene.open(`?reconciliation=${nothing}`);
    await shown('Nothing that could be read happened since then.');
    scene.api.notRead = [];
  });

  it('that somebody else has started meanwhile is shown instead of a second one', async () => {
    scene.api.pages = [];
    await scene.open();
    await button(LOOK).waitFor();
    const id = await scene.start();
    await button(LOOK).click();
    await shown('Starts in a moment…');
    await scene.work();
    await shown('Nothing happened since then.');
    expect(await page.getByRole('alert').count()).toBe(0);
    // its result stays
    await expect.poll(() => page.url()).toContain(id);
    await button('Another period').click();
    await button(LOOK).waitFor();
  });

  it('shows the latest 100 of what was missing', async () => {
    scene.api.pages = [Array.from({ length: 101 }, (_, n) => checkoutCompleted({ amount: n + 1 }))];
    const id = await scene.start();
    await scene.work();
    await scene.open(`?reconciliation=${id}`);
    await shown('101 of 101 are missing: 101 payments whose customer is unknown.');
    await shown('The latest 100.');
    expect(await missing().count()).toBe(100);
    const { y = -1 } = (await page.getByText('101 of 101').boundingBox()) ?? {};
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(page.viewportSize()?.height ?? 0);
  });

  it('shows texts and amounts that are as long as they may be, all of them on a narrow phone', async () => {
    const long = 'w'.repeat(255);
    await (await createReferrer(scene.app, { name: long })).lead('lea');
    const largest = 1_000_000_000_000;
    scene.api.pages = [
      [checkoutCompleted({ externalId: 'lea', amount: largest, currency: 'kwd', paymentIntent: long })],
      [stripeEvent(long, {})],
    ];
    const id = await scene.start();
    await scene.work();
    await scene.open(`?reconciliation=${id}`);
    await missing().first().waitFor();
    await resize(page, 320);
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await resize(page, 1440);
  });

  it('opens again from the list of the earlier ones, and at the address of another connection', async () => {
    await scene.open();
    const earlier = page.getByRole('button', { name: /^Since/ });
    await earlier.first().waitFor();
    expect(await earlier.count()).toBe(5);
    await earlier.filter({ hasText: '101 missing' }).click();
    await shown('101 of 101 are missing');
    const address = page.url();
    const body = { processor: 'polar', secrets: ['x'], accessToken: 'polar_oat_x' };
    const { id } = (await scene.app.call('POST', '/api/webhook-endpoints', { body })).body;
    await page.goto(address.replace(scene.stripeId, id));
    await expect.poll(() => page.url()).toBe(address);
    await scene.open('?reconciliation=rec_none');
    await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    await button(LOOK).waitFor();
  });

  it('is found among many of other connections, and after the list could not be read', async () => {
    const body = { processor: 'paddle', secrets: ['x'], accessToken: 'pdl_live_apikey_x' };
    const { id } = (await scene.app.call('POST', '/api/webhook-endpoints', { body })).body;
    for (let count = 0; count < FIRST_PAGE_SIZE; count += 1) {
      await scene.app.call('POST', `/api/reconciliations/${await scene.start(id)}/cancel`);
    }
    await page.route('**/api/reconciliations?*', (route) => route.fulfill({ status: 502, body: 'restarting' }));
    await scene.open();
    await button(LOOK).waitFor();
    await page.unroute('**/api/reconciliations?*');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: /^Since.*101 missing/ }).waitFor();
  });

  it('causes no error in the browser', () => {
    expect(scene.problems).toEqual([]);
  });
});
