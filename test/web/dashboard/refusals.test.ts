import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpoint, type EndpointUnderTest } from '../../helpers/story.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';
import { createListScene, type ListScene } from './list-scene.ts';

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
