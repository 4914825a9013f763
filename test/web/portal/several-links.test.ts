import { afterAll, beforeAll, expect, it } from 'vitest';
import { createScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene.close());

it('the portal tells a partner with several links to share any of them', async () => {
  const body = { partnerId: scene.partnerId, url: 'https://shop.example.com/second' };
  expect((await scene.app.call('POST', '/api/links', { body })).status).toBe(201);
  const context = await scene.browser.newContext();
  const page = await context.newPage();
  await page.goto(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
  await page.getByRole('heading', { name: 'Your links' }).waitFor();
  await page.getByText('Share them anywhere.').waitFor();
  expect(await page.getByText('Share it').count()).toBe(0);
  await context.close();
});
