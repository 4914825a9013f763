import { afterAll, beforeAll, expect, it } from 'vitest';
import { allLoaded, createScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene.close());

it('the portal of an archived partner promises nothing for later payments, and still shows what they earned', async () => {
  expect((await scene.app.call('POST', `/api/partners/${scene.partnerId}/archive`, { body: {} })).status).toBe(200);
  const context = await scene.browser.newContext();
  const page = await context.newPage();
  await page.goto(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
  await allLoaded(page);
  await page.getByText(/^Payments since \w+ \d+, \d{4} earn you no commission\./).waitFor();
  const shown = await page.getByRole('main').textContent();
  expect(shown).not.toMatch(/You earn \d|no link yet|Share it/);
  expect(shown).toContain('o…@example.com');
  await context.close();
});
