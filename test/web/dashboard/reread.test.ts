import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEndpoint } from '../../helpers/story.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';
import { createListScene, fillAdjustment, type ListScene } from './list-scene.ts';

let scene: ListScene;

beforeAll(async () => {
  scene = await createListScene();
});
afterAll(() => scene.close());

it('a list shows what was just changed, although its next page is reached before it is read again', async () => {
  const { app, ana } = scene;
  for (let number = 0; number < 60; number += 1) {
    const body = { partnerId: ana.partnerId, amount: 100, currency: 'usd', reason: `Bonus ${number}` };
    await app.call('POST', '/api/adjustments', { body });
  }
  const page = await scene.show('/ledger');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const isAgain = page.waitForRequest(/\/api\/ledger\?limit=50$/);
  await page.route(/\/api\/ledger\?limit=50$/, (route) => released.then(() => route.continue()));
  await fillAdjustment(page, 'The newest');
  await page.getByRole('button', { name: 'Add the adjustment' }).click();
  await isAgain;
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 200)))');
  release();
  // the last page has arrived, too
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  await page.evaluate('scrollTo(0, 0)');
  await page.getByRole('cell', { name: 'The newest' }).waitFor({ timeout: 5_000 });
});

it('a delivery that arrives while the list is on its way is in the list', async () => {
  const stripe = await createEndpoint(scene.app, 'stripe');
  const page = await scene.show('/ledger');
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/deliveries?*', async (route) => {
    const response = await route.fetch();
    read();
    await released;
    await route.fulfill({ response });
  });
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
  await Promise.all([isRead, page.getByText('Live', { exact: true }).waitFor()]);
  // a second stream says when the page has heard of it, too
  await page.evaluate(`new Promise((open) => {
    const stream = new EventSource('/api/deliveries/stream');
    globalThis.isTold = new Promise((told) => stream.addEventListener('delivery', () => setTimeout(told, 100)));
    stream.onopen = () => open();
  })`);
  await stripe.deliver({ ...checkoutCompleted({ amount: 100 }), type: 'checkout.session.arrived' });
  await page.evaluate('isTold');
  release();
  await page.getByRole('row', { name: 'checkout.session.arrived' }).waitFor({ timeout: 5_000 });
  await page.unroute('**/api/deliveries?*');
});

it('a delivery that arrived while another page was shown is in the list, however soon that is back', async () => {
  const stripe = await createEndpoint(scene.app, 'stripe');
  const page = await scene.show('/deliveries');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Sales', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
  await stripe.deliver({ ...checkoutCompleted({ amount: 100 }), type: 'checkout.session.missed' });
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
  await page.getByRole('row', { name: 'checkout.session.missed' }).waitFor({ timeout: 5_000 });
});

/** A stream of deliveries that the page itself feeds. */
const FED_STREAM = `globalThis.EventSource = class {
  static CLOSED = 2;
  constructor() {
    setTimeout(() => this.onopen());
  }
  addEventListener(_, take) {
    globalThis.feed = (deliveries) => deliveries.forEach((delivery) => take({ data: JSON.stringify(delivery) }));
  }
  close() {}
}`;

it('a list of deliveries that stays open does not grow without end', async () => {
  const [delivery] = (await scene.app.call('GET', '/api/deliveries?limit=1')).body.data;
  await scene.page.addInitScript(FED_STREAM);
  const page = await scene.show('/deliveries');
  await page.getByText('Live', { exact: true }).waitFor();
  const rowCount = async () => Number(await page.locator('table').getAttribute('aria-rowcount'));
  const before = await rowCount();
  const feed = (first: number, count: number) => {
    const arrived = Array.from({ length: count }, (_, index) => ({ ...delivery, id: `dlv_${first + index}` }));
    return page.evaluate(`feed(${JSON.stringify(arrived)})`);
  };
  await feed(0, 300);
  await expect.poll(rowCount).toBe(before + 300);
  // somebody reads further down
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await feed(300, 300);
  await expect.poll(rowCount).toBe(before + 600);
  await page.evaluate('scrollTo(0, 0)');
  await feed(600, 1);
  // the server has none of these, but for one that came while it answered
  await expect.poll(rowCount).toBeLessThanOrEqual(before + 1);
});

it('an open delivery is read again while others keep arriving, and not with each of them', async () => {
  const [delivery] = (await scene.app.call('GET', '/api/deliveries?limit=1')).body.data;
  const { page } = scene;
  await page.addInitScript(FED_STREAM);
  await scene.show(`/deliveries/${delivery.id}`);
  await page.getByRole('region', { name: 'Delivery', exact: true }).getByText('Attempts').first().waitFor();
  let count = 0;
  await page.route(`**/api/deliveries/${delivery.id}`, (route) => {
    count += 1;
    return route.continue();
  });
  const tookMs = await page.evaluate<number>(`new Promise((done) => {
    const startedAt = performance.now();
    let number = 0;
    const timer = setInterval(() => {
      number += 1;
      feed([{ ...${JSON.stringify(delivery)}, id: 'dlv_busy' + number }]);
      if (number < 50) return;
      clearInterval(timer);
      done(performance.now() - startedAt);
    }, 100);
  })`);
  expect(count).toBeGreaterThanOrEqual(1);
  // every two seconds, and a busy browser takes more than five for all of them
  expect(count).toBeLessThanOrEqual(Math.ceil(tookMs / 2_000) + 1);
  await page.unrouteAll({ behavior: 'wait' });
});

it('a row keeps the focus while others arrive above it', async () => {
  const [delivery] = (await scene.app.call('GET', '/api/deliveries?limit=1')).body.data;
  const { page } = scene;
  await page.addInitScript(FED_STREAM);
  await scene.show('/deliveries');
  await page.getByText('Live', { exact: true }).waitFor();
  const feed = (ids: string[]) => page.evaluate(`feed(${JSON.stringify(ids.map((id) => ({ ...delivery, id })))})`);
  await feed(Array.from({ length: 40 }, (_, index) => `dlv_row${index}`));
  // rows are rendered in groups of 25; the second group, where the row goes, opens when it is near the screen
  await page.locator('tr[aria-rowindex="27"]').waitFor();
  const row = page.locator('tr[aria-rowindex="26"]');
  const link = row.getByRole('link').first();
  const href = await link.getAttribute('href');
  await link.focus();
  await feed(['dlv_above']);
  await page.locator(`tr[aria-rowindex="27"] a[href="${href}"]`).first().waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("href")')).toBe(href);
  // also on something else in the row
  await row.getByRole('button').last().focus();
  await feed(['dlv_above2']);
  const focused = () =>
    page.evaluate('document.activeElement.tagName + document.activeElement.closest("tr")?.ariaRowIndex');
  await expect.poll(focused).toBe('BUTTON27');
});
