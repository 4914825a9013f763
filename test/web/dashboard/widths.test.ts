import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferrer } from '../../helpers/story.ts';
import { resize } from '../reference/visit.ts';
import { createListScene, type ListScene } from './list-scene.ts';

let scene: ListScene;

beforeAll(async () => {
  scene = await createListScene();
});
afterAll(() => scene.close());

/** The texts of the cells that are cut off. */
const CUT_CELLS = `[...document.querySelectorAll('td')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth)
  .map((cell) => cell.textContent)`;

describe('on a tablet', () => {
  it.each([640, 768, 810, 900, 1024])(
    'of %d pixels, operators have room for their names and addresses',
    async (width) => {
      const body = { name: 'Bo', email: 'bo@example.com', role: 'member' };
      await scene.page.request.post(`${scene.app.url}/api/operators`, {
        data: body,
        headers: { origin: scene.app.url },
      });
      const page = await scene.show('/settings?tab=operators');
      await resize(page, width);
      await page.getByRole('cell', { name: 'olga@example.com' }).waitFor();
      expect(await page.evaluate(CUT_CELLS)).toEqual([]);
      await page.getByRole('button', { name: 'Remove' }).first().click();
      await page.getByRole('button', { name: 'Really remove?' }).waitFor();
      expect(await page.evaluate(CUT_CELLS)).toEqual([]);
    },
  );
});

describe('on a very wide screen', () => {
  it.each(['/', '/sales', '/program', '/settings?tab=data'])(
    '%s stays as wide as can be read, in the middle',
    async (address) => {
      const { page } = scene;
      await resize(page, 2560, 1440);
      await page.goto(`${scene.app.url}/dashboard${address}`);
      const title = page.getByRole('heading', { level: 1 });
      await title.waitFor();
      const { x = 0, width = 0 } = (await page.getByRole('main').boundingBox()) ?? {};
      expect(width).toBeLessThanOrEqual(1_800);
      const beside = [x - 216, 2560 - x - width];
      expect(Math.abs((beside[0] ?? 0) - (beside[1] ?? 0))).toBeLessThan(2);
    },
  );
});

it.each(['/', '/sales', '/links', '/program', '/program?tab=portal', '/program?tab=origins', '/settings?tab=data'])(
  '%s needs no scrolling sideways on 320 pixels with text of twice the size',
  async (address) => {
    const { page } = scene;
    await resize(page, 320);
    const browser = await page.context().newCDPSession(page);
    await browser.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    await page.goto(`${scene.app.url}/dashboard${address}`);
    await page.locator('main [aria-busy=false], main form, main dl').first().waitFor();
    const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    await browser.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } });
    await browser.detach();
    expect(tooWide).toBe(0);
  },
);

it.each([390, 768, 1024])(
  'at %d pixels, the parts of the overview are read in the order in which they stand',
  async (width) => {
    const page = await scene.show('/');
    await resize(page, width);
    const headings = page.getByRole('main').getByRole('heading', { level: 2 });
    await page.getByRole('heading', { name: 'Owed to partners' }).waitFor();
    await page.getByRole('heading', { name: 'Revenue' }).waitFor();
    const tops = await headings.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    expect(tops.length).toBeGreaterThan(5);
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
  },
);

it.each([320, 375])('at %d pixels, the periods of the overview are on one line below the title', async (width) => {
  const { page } = scene;
  await resize(page, width);
  await page.goto(`${scene.app.url}/dashboard/`);
  const periods = page.getByRole('group', { name: 'Period' });
  await periods.waitFor();
  const box = await periods.boundingBox();
  expect(box).toMatchObject({ x: 16, width: width - 32 });
  expect(box?.height).toBeLessThan(36);
  expect(await periods.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

it.each([
  ['/settings', 'nav button'],
  ['/', 'fieldset label'],
])('%s: what is chosen among words is bold, and leaves the others where they are', async (address, words) => {
  const { page } = scene;
  await resize(page, 1440);
  await page.goto(`${scene.app.url}/dashboard${address}`);
  const all = page.getByRole('main').locator(words);
  await all.first().waitFor();
  // not every font has the weight between
  await page.evaluate("document.documentElement.style.setProperty('--font-weight-medium', '700')");
  const places = async () => Promise.all((await all.all()).map((one) => one.boundingBox()));
  const before = await places();
  await all.last().click();
  const weight = `getComputedStyle([...document.querySelectorAll('main ${words}')].at(-1)).fontWeight`;
  await expect.poll(() => page.evaluate(weight), { timeout: 5_000 }).toBe('700');
  expect(await places()).toEqual(before);
});

it('the steps that are left of the setup share the width of the overview', async () => {
  const { page } = scene;
  await resize(page, 1440);
  await page.goto(`${scene.app.url}/dashboard/`);
  const steps = page.locator('section:has(> div > h2:text-is("Setup")) li');
  await steps.first().waitFor();
  const boxes = await Promise.all((await steps.all()).map((step) => step.boundingBox()));
  expect(boxes.length).toBeGreaterThan(1);
  expect(new Set(boxes.map((box) => `${box?.y} ${Math.round(box?.width ?? 0)}`)).size).toBe(1);
});

describe('on a phone whose text is twice as large', () => {
  it.each([
    '/',
    '/sales',
    '/unattributed',
    '/payouts',
    '/ledger',
    '/deliveries',
    '/settings',
    '/settings?tab=operators',
    '/settings?tab=sessions',
  ])('the rows of %s have room for what they are about, above the rest', async (address) => {
    // 390 pixels hold as many letters of twice the size as 195 of these
    await resize(scene.page, 195);
    const page = await scene.show(address);
    await page.waitForLoadState('networkidle');
    // instead of rows far from the screen there is a gap
    await page.locator('table[aria-rowcount]').first().scrollIntoViewIfNeeded();
    const cells = page.locator('tbody tr[aria-rowindex]').first().locator('td');
    const named = (await cells.first().locator('input').count()) === 0 ? cells.first() : cells.nth(1);
    expect((await named.boundingBox())?.width).toBeGreaterThan(100);
    expect(await page.evaluate(CUT_CELLS)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(195);
    // said by themselves, for Safari
    const rows = page.locator('table[role="table"] > tbody[role="rowgroup"] > tr[role="row"]');
    expect(await rows.first().locator('td:not([role="cell"])').count()).toBe(0);
    expect(await page.locator('th[role="columnheader"]').count()).toBeGreaterThan(0);
  });

  it('the fields of an adjustment are below one another, and the amounts of a payout run are whole', async () => {
    await resize(scene.page, 195);
    const page = await scene.show('/ledger');
    await page.getByRole('button', { name: 'Adjustment' }).click();
    expect((await page.getByLabel('Amount').boundingBox())?.width).toBeGreaterThan(100);
    const { partnerId } = await createReferrer(scene.app, { name: 'Urban Jungle Podcast' });
    const body = { partnerId, amount: 12_345_678, currency: 'usd', reason: 'A bonus' };
    expect((await scene.app.call('POST', '/api/adjustments', { body })).status).toBe(201);
    await scene.show('/payouts');
    await page.getByRole('button', { name: 'Run payouts' }).click();
    const list = page.locator('dialog ul');
    await list.waitFor();
    expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('the time of a payment that waits is whole beside its checkbox', async () => {
    await resize(scene.page, 195);
    const page = await scene.show('/unattributed');
    const place = page.locator('tbody tr span:has(> time)').first();
    expect(await place.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('what a customer did has more than one letter per line', async () => {
    await scene.ana.lead('mara', { eventName: 'Sign up for the newsletter' });
    await resize(scene.page, 195);
    const page = await scene.show('/customers');
    await page.getByRole('link', { name: 'mara' }).click();
    expect((await page.getByText('Sign up for the newsletter').boundingBox())?.width).toBeGreaterThan(100);
  });

  it('the address of a link has more than one letter per line', async () => {
    await resize(scene.page, 195);
    const page = await scene.show('/links');
    await page.locator('tbody tr a').first().click();
    const address = page.locator('section[aria-label="Link"] code').first();
    expect((await address.boundingBox())?.width).toBeGreaterThan(100);
  });
});

it('on a phone, the title of a dialog has as many lines as it needs, also when it was opened in a list', async () => {
  const name = 'Maximiliane von und zu Hohenstein-Wittgenstein';
  const body = { name, email: 'maximiliane@example.com', role: 'member' };
  const headers = { origin: scene.app.url };
  expect((await scene.page.request.post(`${scene.app.url}/api/operators`, { data: body, headers })).status()).toBe(201);
  await resize(scene.page, 390);
  const page = await scene.show('/settings?tab=operators');
  await page.getByRole('row', { name }).getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: `Change ${name}` }).waitFor();
  expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});
