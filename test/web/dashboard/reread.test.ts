import { afterAll, beforeAll, it } from 'vitest';
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
