import { afterAll, beforeAll, expect, it } from 'vitest';
import { sell } from '../../helpers/earning.ts';
import { createReferrer } from '../../helpers/story.ts';
import { resize } from '../reference/visit.ts';
import { allLoaded, createScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene.close());

it('the portal shows what the partner has, not nothing in the currency of most earnings', async () => {
  const maria = await createReferrer(scene.app, { name: 'Maria Mixed', email: 'maria@example.com' });
  await sell(scene.app, maria, { amount: 500_000, currency: 'jpy' });
  const body = { partnerId: maria.partnerId, amount: 9_000, currency: 'usd', reason: 'A bonus' };
  expect((await scene.app.call('POST', '/api/adjustments', { body })).status).toBe(201);
  const context = await scene.browser.newContext();
  const page = await context.newPage();
  await page.goto(scene.frameUrl(await scene.tokenFor({ enrollmentId: maria.partnerId }), { lang: 'en' }));
  await allLoaded(page);
  const textsIn = (place: string) => page.locator(`.tile.${place} .figure`).allInnerTexts();
  expect(await textsIn('available')).toEqual(['$90.00']);
  expect(await textsIn('held')).toEqual(['¥100,000']);
  expect(await textsIn('paid')).toEqual(['¥0']);
  await context.close();
});

it('the portal keeps words and large amounts whole and apart at every width', async () => {
  const { partnerId } = await createReferrer(scene.app, { name: 'Lea Large', email: 'lea@example.com' });
  const body = { partnerId, amount: -123_456_789_012, currency: 'eur', reason: 'A correction' };
  expect((await scene.app.call('POST', '/api/adjustments', { body })).status).toBe(201);
  const address = scene.frameUrl(await scene.tokenFor({ enrollmentId: partnerId }), { lang: 'de' });
  const context = await scene.browser.newContext({ viewport: { width: 640, height: 800 } });
  const page = await context.newPage();
  await page.goto(address);
  await allLoaded(page);
  const tile = page.locator('.tile.available');
  const boxOf = async (part: string) => {
    const { x = 0, width = 0, height = 99 } = (await tile.locator(part).boundingBox()) ?? {};
    return { end: x + width, height };
  };
  for (const width of [640, 320, 280]) {
    await resize(page, width, 800);
    const [word, amount] = [await boxOf('h3'), await boxOf('.figure')];
    expect(Math.max(word.height, amount.height), `${width}`).toBeLessThan(40);
    const next = (await page.locator('.tile.held').boundingBox())?.x ?? 0;
    expect(amount.end, `${width}`).toBeLessThan(width === 640 ? next : width);
  }
  await context.close();
});

it('the portal keeps the amounts of sales within their card, and a long name of the program within the page', async () => {
  const title = 'Nordlichthandelsgesellschaftsempfehlungsprogramm';
  await scene.changeProgram({ name: title, portal: { allowedOrigins: [scene.host.origin], theme: { title } } });
  const rita = await createReferrer(scene.app, { name: 'Rita Rich', email: 'rita@example.com' });
  for (const amount of [999_999_999_999, 1_234_567]) {
    await sell(scene.app, rita, { amount, currency: 'eur', customerEmail: 'mara@example.com' });
  }
  const context = await scene.browser.newContext({ viewport: { width: 720, height: 800 } });
  const page = await context.newPage();
  await page.goto(scene.frameUrl(await scene.tokenFor({ enrollmentId: rita.partnerId }), { lang: 'de' }));
  await allLoaded(page);
  const rightOf = async (part: string) => {
    const { x = 0, width = 9_999 } = (await page.locator(part).last().boundingBox()) ?? {};
    return x + width;
  };
  // 390 pixels hold as many letters of twice the size as 195 of these
  for (const width of [720, 640, 320, 195]) {
    await resize(page, width, 800);
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${width}`).toBe(width);
    expect(await rightOf('.sales tbody tr .number'), `${width}`).toBeLessThan(await rightOf('.card:has(> .sales)'));
    expect(await rightOf('.sales tbody tr'), `${width}`).toBeLessThanOrEqual(await rightOf('.card:has(> .sales)'));
  }
  await context.close();
});
