import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sell } from '../../helpers/earning.ts';
import { resize } from '../reference/visit.ts';
import { auditOf, createListScene, type ListScene } from './list-scene.ts';

let scene: ListScene;

beforeAll(async () => {
  scene = await createListScene();
});
afterAll(() => scene.close());
beforeEach(async () => {
  const page = await scene.show('/sales');
  await resize(page, 390, 844);
});

async function middleOf(part: Locator): Promise<number> {
  const { y, height } = (await part.boundingBox()) ?? { y: Number.NaN, height: 0 };
  return y + height / 2;
}

/** Sent by the page itself, as its operator. */
const INVITE = `fetch('/api/operators', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Bo', email: 'bo@example.com', role: 'member' }),
}).then(({ ok, status }) => { if (!ok) throw new Error(status); })`;

/** How many cells cut something off. */
const CUT_CELLS = `[...document.querySelectorAll('td')].filter((cell) => cell.scrollWidth > cell.clientWidth).length`;

describe('on a phone, a row of a list', () => {
  it.each([
    ['/sales', ['Customer', 'Amount'], /^user_/],
    ['/payouts', ['Partner', 'Amount'], /^(Ana|Ben)$/],
    ['/deliveries', ['Event', 'Outcome'], /^checkout\.session\.completed$/],
    ['/', ['Customer', 'Amount'], /^user_/],
  ])('of %s leads with its name, which opens it', async (address, head, name) => {
    const page = await scene.show(address);
    expect(await page.locator('table[aria-busy] th').allTextContents()).toEqual(head);
    // rows far from the screen are not rendered
    await page.locator('table[aria-busy]').scrollIntoViewIfNeeded();
    const link = page.locator('table[aria-busy] tbody tr').first().getByRole('link').first();
    expect(await link.textContent()).toMatch(name);
    await link.click();
    await page.locator('main dl').first().waitFor();
  });

  it('of API keys shows the end of each, by which they are told apart', async () => {
    const lastFour = scene.app.apiKey.slice(-4);
    const page = await scene.show('/settings');
    await resize(page, 320, 844);
    const { x = 0, y = 0, width = 0, height = 0 } = (await page.getByText(`…${lastFour}`).boundingBox()) ?? {};
    const textAt = (left: number) =>
      page.evaluate(`document.elementFromPoint(${left}, ${y + height / 2})?.textContent`);
    expect(await Promise.all([textAt(x + 1), textAt(x + width - 1)])).toEqual([`…${lastFour}`, `…${lastFour}`]);
  });

  it('has the amount beside the name, and the time, the partner and the state on a second line', async () => {
    const page = await scene.show('/sales?search=');
    const row = page.locator('tbody tr').first();
    const topOf = async (part: ReturnType<typeof row.locator>) => (await part.boundingBox())?.y ?? Number.NaN;
    const [first, amount] = [await topOf(row.getByRole('link')), await topOf(row.getByText('€7.00'))];
    expect(Math.abs(first - amount)).toBeLessThan(4);
    for (const second of [row.locator('time'), row.getByRole('button', { name: 'Ben' }), row.getByText('On hold')]) {
      expect(await topOf(second)).toBeGreaterThan(first + 12);
    }
    // what a finger needs between two that are not as tall
    const middles = await Promise.all([row.getByRole('link'), row.getByRole('button', { name: 'Ben' })].map(middleOf));
    expect((middles[1] ?? 0) - (middles[0] ?? 0)).toBeGreaterThanOrEqual(24);
    expect(await auditOf(page)).toEqual([]);
    expect(scene.problems).toEqual([]);
  });
});

it.each([
  [1024, '/settings', 'Last used'],
  [1024, '/ledger', 'Due'],
  [1280, '/sales/', 'Partner'],
])(
  'at %d pixels, the columns of %s leave room for each other, because %s is hidden',
  async (width, address, hidden) => {
    const id = address.endsWith('/') ? (await scene.listOf('/api/sales'))[0]?.id : '';
    const page = await scene.show('/sales');
    await resize(page, width);
    await page.goto(`${scene.app.url}/dashboard${address}${id}`);
    await page.locator('table[aria-busy="false"]').waitFor();
    expect(await page.getByRole('columnheader', { name: hidden }).count()).toBe(0);
    const heads = await page.locator('th:visible').all();
    const widths = await Promise.all(heads.map(async (head) => (await head.boundingBox())?.width ?? 0));
    expect(Math.min(...widths)).toBeGreaterThan(90);
  },
);

it('in half a window of 1280 pixels, beside its scroll bar, a sale still has its partner', async () => {
  const page = await scene.show('/sales');
  await resize(page, 640);
  // without a window on a screen, the browser has no scroll bar that takes room
  await page.evaluate("document.body.style.paddingRight = '17px'");
  await page.getByRole('columnheader', { name: 'Partner' }).waitFor();
});

describe('on a phone, the settings', () => {
  it.each([
    ['sessions', /·(Just now|\d+ minutes? ago)$/],
    ['operators', /olga@example\.com.*owner$/],
    ['', /·full·(Just now|\d+ minutes? ago)$/],
  ])('(%s) say below a name which one it is: %s', async (tab, words) => {
    const page = await scene.show(`/settings?tab=${tab}`);
    const cell = page.locator('tbody tr').first().locator('td').first();
    await expect.poll(() => cell.textContent()).toMatch(words);
  });

  it('cut off no button, neither before nor after its question', async () => {
    const page = await scene.show('/settings?tab=operators');
    await page.evaluate(INVITE);
    await scene.show('/settings?tab=operators');
    expect(await page.evaluate(CUT_CELLS)).toBe(0);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Really remove?' }).waitFor();
    expect(await page.evaluate(CUT_CELLS)).toBe(0);
  });

  it('show that there is a tab beyond the chosen one', async () => {
    await scene.page.goto(`${scene.app.url}/dashboard/settings?tab=data`);
    const next = scene.page.getByRole('button', { name: 'Audit log' });
    await expect.poll(async () => (await next.boundingBox())?.x).toBeLessThan(374 - 24);
  });
});

it('on a phone, a line of a payout has its amount beside the reason, and the ledger has the reason, too', async () => {
  const body = { partnerId: scene.ana.partnerId, amount: -500, currency: 'gbp', reason: 'A correction of invoice 12' };
  await scene.app.call('POST', '/api/adjustments', { body });
  const [payout] = await scene.listOf('/api/payouts?status=queued&currency=gbp');
  const { page } = scene;
  await page.goto(`${scene.app.url}/dashboard/payouts/${payout?.id}`);
  const line = page.getByRole('listitem').filter({ hasText: body.reason });
  await line.waitFor();
  const middles = await Promise.all([body.reason, '-£5.00'].map((text) => middleOf(line.getByText(text))));
  expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 9))).toBeLessThan(4);
  await scene.show('/ledger');
  await page.getByRole('row', { name: body.reason }).waitFor();
  await page.getByRole('link', { name: 'Sale' }).first().waitFor();
});

it.each([
  ['of a company at work', '**/api/overview', true],
  ['of an account that is being set up', '**/api/overview', false],
  ['of such an account that comes with its figures', '**/api/{overview,statistics*}', false],
])('on a phone, a late overview %s pushes the charts down by little', async (_, late, isSetUp) => {
  const { page } = scene;
  await page.route('**/api/statistics*', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const totals = isSetUp ? answer.totals : { ...answer.totals, clicks: 0, sales: 0 };
    await route.fulfill({ response, json: { ...answer, totals } });
  });
  await page.route('**/api/overview', async (route) => {
    const response = await route.fetch();
    const { setup, ...overview } = await response.json();
    const steps = Object.fromEntries(Object.keys(setup).map((step) => [step, isSetUp]));
    await route.fulfill({ response, json: { ...overview, setup: steps } });
  });
  await page.route(late, async (route) => {
    // longer than the page waits for it
    await page.waitForTimeout(1_500);
    await route.fallback();
  });
  await scene.show('/');
  await page.getByText('Owed to partners').waitFor();
  expect(await page.evaluate('layoutShift')).toBeLessThan(0.1);
  await page.unrouteAll();
});

describe('on a phone, the filters of a list', () => {
  it('open by keyboard below one button, which says how many are set; the search stays', async () => {
    const page = await scene.show('/sales?status=pending&period=30d');
    const filters = page.getByRole('button', { name: 'Filters 2 set' });
    const status = page.getByRole('combobox', { name: 'Status' });
    expect(await page.getByRole('searchbox').isVisible()).toBe(true);
    expect([await filters.getAttribute('aria-expanded'), await status.isVisible()]).toEqual(['false', false]);
    await filters.press('Enter');
    expect(await page.getByRole('button', { expanded: true }).textContent()).toContain('Filters');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Date: Last 30 days');
    await status.selectOption('');
    await page.getByRole('button', { name: 'Filters 1 set' }).waitFor();
    expect(await status.isVisible()).toBe(true);
    // rows of the filters before are faded
    await page.locator('table[aria-busy="false"]').waitFor();
    expect(await auditOf(page)).toEqual([]);
    expect(scene.problems).toEqual([]);
  });
});

it.each([
  ['/sales?review=flagged', 'Review: Flagged'],
  ['/links?archived=only&period=7d', 'Results: Last 7 days'],
  ['/partners', 'Partners: active'],
  ['/deliveries?processor=other', 'Processor: other'],
])('the filters of %s keep their name: %s', async (address, words) => {
  const page = await scene.show('/sales');
  await resize(page, 1440);
  await page.goto(`${scene.app.url}/dashboard${address}`);
  await page.getByRole('search').locator('span, button').getByText(words, { exact: true }).first().waitFor();
});

it('one switch shows the figures of all charts as tables, and is in the address', async () => {
  const page = await scene.show('/?period=7d');
  const tables = page.getByRole('region', { name: / as a table$/ });
  const isOn = page.getByRole('button', { name: 'Charts as tables' });
  expect([await tables.count(), await isOn.getAttribute('aria-pressed')]).toEqual([0, 'false']);
  await isOn.press('Enter');
  await expect.poll(() => tables.count()).toBe(5);
  expect(await page.getByRole('region', { name: 'Sales as a table' }).locator('tr').last().textContent()).toMatch(/4$/);
  expect(page.url()).toContain('/dashboard/?period=7d&figures=tables');
  expect(await auditOf(page)).toEqual([]);
});

it('with text twice as large, pages still fit, and no amount is cut off', async () => {
  const id = await sell(scene.app, scene.ana, { amount: 1_000_000_00 });
  const page = await scene.show('/sales');
  // as many letters as fit into 390 then
  await resize(page, 195, 422);
  for (const address of ['/', '/payouts', '/program', `/partners/${scene.ana.partnerId}`, `/sales/${id}`]) {
    await page.goto(`${scene.app.url}/dashboard${address}`);
    await page.waitForLoadState('networkidle');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth'), address).toBe(195);
  }
  const title = page.getByRole('heading', { name: '$1,000,000.00' });
  expect(await title.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
});

it.each([
  [390, 'smaller'],
  [1440, 'as large'],
])('at %d pixels, an amount of a million is %s, because it must fit its column', async (width, size) => {
  const page = await scene.show('/sales');
  await resize(page, width);
  const sizeOf = (text: string) =>
    page
      .getByText(text, { exact: true })
      .first()
      .evaluate((amount) => Number.parseFloat(String(amount.computedStyleMap().get('font-size'))));
  const [million, hundred] = [await sizeOf('$1,000,000.00'), await sizeOf('$100.00')];
  expect(million < hundred ? 'smaller' : 'as large').toBe(size);
});
