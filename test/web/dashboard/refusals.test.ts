import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpoint, type EndpointUnderTest } from '../../helpers/story.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';
import { createListScene, fillAdjustment, type ListScene } from './list-scene.ts';

let scene: ListScene;
let stripe: EndpointUnderTest;

beforeAll(async () => {
  scene = await createListScene();
  stripe = await createEndpoint(scene.app, 'stripe');
});
afterAll(() => scene.close());

const STREAM = '**/api/deliveries/stream';

describe('the list of deliveries', () => {
  it('is live again, and complete, after a refusal of the stream or a pause', async () => {
    let isRefused = true;
    const page = await scene.show('/ledger');
    await page.route(STREAM, (route) =>
      isRefused ? route.fulfill({ status: 502, body: 'restarting' }) : route.continue(),
    );
    await scene.show('/deliveries');
    await page.getByText('Connecting…').waitFor();
    isRefused = false;
    const rows = page.locator('tbody tr');
    const before = await rows.count();
    await stripe.deliver(checkoutCompleted({ amount: 100 }));
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(before + 1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await stripe.deliver(checkoutCompleted({ amount: 200 }));
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => rows.count()).toBe(before + 2);
    await page.unroute(STREAM);
  });

  it('leads to the sign-in page when the stream is refused because the session has ended', async () => {
    const page = await scene.show('/deliveries');
    const cookies = await page.context().cookies();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.title()).toBe('Sign in · Refbridge');
    await page.context().addCookies(cookies);
  });
});

describe('a report', () => {
  it('or a list of other filters is marked as old until the new one arrives', async () => {
    const page = await scene.show('/sales');
    const shown = (name: string) => page.locator(`[aria-label="${name}"][aria-busy]`).first();
    for (const [name, choose] of [
      ['Sales', () => page.getByRole('combobox', { name: 'Status' }).selectOption('On hold')],
      ['Results', () => page.getByText('12 months').click()],
    ] as const) {
      if (name === 'Results') await page.getByRole('link', { name: 'Overview' }).click();
      await expect.poll(() => shown(name).getAttribute('aria-busy')).toBe('false');
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route(/\/api\/(sales|statistics)\?/, (route) => released.then(() => route.continue()));
      await choose();
      await expect.poll(() => shown(name).getAttribute('aria-busy')).toBe('true');
      release();
      await expect.poll(() => shown(name).getAttribute('aria-busy')).toBe('false');
      await page.unrouteAll({ behavior: 'wait' });
    }
  });

  it('that ran out of time says so at once, and is not asked for again', async () => {
    const page = await scene.show('/ledger');
    const error = { code: 'UNAVAILABLE', message: 'The report took longer than 4 s and was stopped.' };
    let count = 0;
    await page.route('**/api/statistics?*', (route) => {
      count += 1;
      return route.fulfill({ status: 503, headers: { 'retry-after': '10' }, json: { error } });
    });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(error.message).waitFor();
    await page.waitForTimeout(1_500);
    expect(count).toBe(1);
    await page.unroute('**/api/statistics?*');
  });
});

describe('a change', () => {
  /** Carries the request out, and loses its answer. */
  const loseAnswer = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  const closeAnyway = async (page: Page) => {
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page.getByRole('button', { name: 'Close anyway' }).click();
  };

  it('whose answer is lost is in the list behind its form, or the list says that it may be out of date', async () => {
    const page = await scene.show('/ledger');
    await page.route('**/api/adjustments', loseAnswer);
    const add = async (reason: string) => {
      await fillAdjustment(page, reason);
      await page.getByRole('button', { name: 'Add the adjustment' }).click();
      await page.getByText('look before you try again').waitFor();
    };
    await add('Bonus of May');
    await page.locator('tbody').getByText('Bonus of May').waitFor();
    await closeAnyway(page);
    await page.route('**/api/ledger?*', (route) => route.abort());
    await add('Bonus of June');
    await closeAnyway(page);
    const old = page.getByRole('alert').filter({ hasText: 'This list may be out of date.' });
    await old.waitFor();
    await page.unroute('**/api/ledger?*');
    await old.getByRole('button', { name: 'Try again' }).click();
    await page.locator('tbody').getByText('Bonus of June').waitFor();
    expect(await old.count()).toBe(0);
    await page.unrouteAll();
  });

  it('that is on its way says so when its form is closed; how it ends is said, and leaves the next form alone', async () => {
    const page = await scene.show('/ledger');
    const error = { code: 'CONFLICT', message: 'It would be too much.' };
    for (const [end, said] of [
      [(route: Route) => route.continue(), 'The adjustment is in the ledger'],
      [(route: Route) => route.fulfill({ status: 409, json: { error } }), error.message],
    ] as const) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route('**/api/adjustments', (route) => released.then(() => end(route)));
      await fillAdjustment(page, 'The first one');
      await page.getByRole('button', { name: 'Add the adjustment' }).click();
      await page.getByRole('button', { name: 'Close' }).first().click();
      await page.getByText('It was already sent: closing this does not stop it.').waitFor();
      await page.getByRole('button', { name: 'Close anyway' }).click();
      await fillAdjustment(page, 'The second one');
      release();
      await page.getByText(said).waitFor();
      expect(await page.getByLabel('Reason').inputValue()).toBe('The second one');
      await page.unrouteAll({ behavior: 'wait' });
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
  });

  it('of the own name is shown everywhere, also when its page was left meanwhile', async () => {
    const page = await scene.show('/settings');
    await page.getByRole('button', { name: 'You', exact: true }).click();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/session', (route) => released.then(() => route.continue()));
    await page.getByRole('textbox', { name: 'Name' }).fill('Olga Other');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Sales', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    release();
    await page.getByRole('complementary').getByText('Olga Other').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    // and so is one whose answer is lost
    await page.goBack();
    await page.route('**/api/session', loseAnswer, { times: 1 });
    await page.getByRole('textbox', { name: 'Name' }).fill('Olga Owner');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('complementary').getByText('Olga Owner').waitFor();
  });

  it('that a page of a proxy answers with 200 is not said to be done', async () => {
    const page = await scene.show('/ledger');
    await page.route('**/api/adjustments', (route) => route.fulfill({ body: '<h1>Back soon</h1>' }));
    await fillAdjustment(page, 'Bonus of July');
    await page.getByRole('button', { name: 'Add the adjustment' }).click();
    await page.getByRole('alert').getByText('Something in front of the server answered 200.').waitFor();
    expect(await page.getByText('The adjustment is in the ledger').count()).toBe(0);
    await closeAnyway(page);
    await page.unrouteAll();
  });

  it('that attributes a payment says that it no longer waits, when the answer is lost', async () => {
    const page = await scene.show('/unattributed');
    await page.locator('tbody tr a').first().click();
    await page.getByRole('combobox', { name: 'Partner' }).fill('ana');
    await page.getByRole('option', { name: 'Ana' }).click();
    // neither does a proxy know that
    await page.route('**/attribute', (route) => route.abort());
    await page.route('**/api/parked-payments/*', (route) => route.fulfill({ status: 404, body: 'page not found' }));
    await page.getByRole('button', { name: 'Attribute', exact: true }).click();
    await page.getByText('Something in front of the server answered 404.').waitFor();
    await page.unrouteAll();
    await page.route('**/attribute', loseAnswer);
    await page.getByRole('button', { name: 'Attribute', exact: true }).click();
    await page.getByText('This payment no longer waits: it is a sale by now').waitFor();
    expect(await page.getByRole('button', { name: 'Attribute', exact: true }).count()).toBe(0);
    await page.unrouteAll();
  });
});

describe('an unattributed payment', () => {
  it.each([
    [
      'its lead, if it names the customer',
      "user_o'hara",
      'Its lead is missing',
      `"customerExternalId": "user_o'\\''hara"`,
    ],
    [
      'the id of the customer, if it names nobody',
      null,
      'To avoid this next time: Stripe',
      'svcCustomerExternalId: user.id',
    ],
  ])('says that it lacks %s', async (_, externalId, title, example) => {
    const { body } = await stripe.deliver(checkoutCompleted({ amount: 300, externalId }));
    expect(body.outcome).toBe('unattributed');
    const page = await scene.show('/unattributed');
    await page.locator('tbody tr a').first().click();
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.getByRole('region', { name: 'Unattributed payment' }).textContent()).toContain(example);
  });
});

describe('the next page of a list', () => {
  it.each([413, 429, 503])('that is refused with %d says why, and can be asked for again', async (status) => {
    const page = await scene.show('/sales');
    const { data } = (await scene.app.call('GET', '/api/ledger?limit=1')).body;
    const error = { code: 'REFUSED', message: `Refused with ${status}.` };
    await page.route('**/api/ledger?limit=50', (route) => route.fulfill({ json: { data, nextCursor: 'x' } }));
    await page.route('**/api/ledger?*cursor=x', (route) =>
      route.fulfill({ status, headers: { 'retry-after': '60' }, json: { error } }),
    );
    await scene.show('/ledger');
    await page.getByRole('alert').getByText(error.message).waitFor();
    await page.route('**/api/ledger?*cursor=x', (route) => route.fulfill({ json: { data: [], nextCursor: null } }));
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.unrouteAll();
  });
});

it('a refusal that belongs to no field stays in sight while a field is wrong', async () => {
  const page = await scene.show('/ledger');
  await fillAdjustment(page, 'w'.repeat(1_000));
  await page.getByRole('button', { name: 'Add the adjustment' }).click();
  const refusal = page.getByRole('alert').filter({ hasText: 'reason' });
  await refusal.waitFor();
  await page.getByLabel('Amount').fill('12.00.00');
  await page.getByText('Not an amount in').waitFor();
  expect((await refusal.boundingBox())?.height).toBeGreaterThan(20);
});
