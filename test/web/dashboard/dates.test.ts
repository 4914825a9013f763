import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpoint, unique } from '../../helpers/story.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';
import { signInUrlOf } from './example.ts';
import { auditOf, createListScene, type ListScene, textOf } from './list-scene.ts';
import { visitDashboard } from './visit.ts';

const DAY_MS = 86_400_000;

let scene: ListScene;
beforeAll(async () => {
  scene = await createListScene();
  // for the page, too, today is the day of the sales that are from today
  await scene.page.clock.setFixedTime(scene.filledAt);
});
afterAll(() => scene.close());

describe('the dates of a list', () => {
  it("are chosen by keyboard, are in the address, and have the API's totals", async () => {
    const page = await scene.show('/sales');
    const date = page.getByRole('button', { name: 'Date: any' });
    await date.press('Enter');
    await page.getByRole('button', { name: 'Last 7 days' }).press('Enter');
    await expect.poll(() => page.url()).toContain('/sales?period=7d');
    await expect.poll(() => textOf(page, 'Totals')).toContain('$600.50 + €7.00 revenue');
    expect(await textOf(page, 'Totals')).toContain('4 sales');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(4);
    await page.getByRole('row', { name: /Ben/ }).getByTitle('Only this partner: Ben').click();
    await expect.poll(() => textOf(page, 'Totals')).toMatch(/^1 sale€7\.00 revenue€1\.40 commission/);
    const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    const { text } = await scene.app.call('GET', csv ?? '');
    expect(text.trim().split('\n')).toHaveLength(2);
  });

  it('may be any days, but not the last before the first', async () => {
    const page = await scene.show('/sales');
    const day = (daysAgo: number) => new Date(scene.filledAt - daysAgo * DAY_MS).toISOString().slice(0, 10);
    await page.getByRole('button', { name: 'Date: any' }).click();
    await page.getByLabel('From').fill(day(40));
    await page.getByLabel('To (inclusive)').fill(day(41));
    await page.getByText('It is before the first day.').waitFor();
    // closes nothing, although it takes no focus
    await page.getByText('Days begin and end at midnight in UTC').click();
    expect(await page.getByRole('button', { name: 'Show these days' }).isDisabled()).toBe(true);
    expect(await auditOf(page)).toEqual([]);
    await page.getByLabel('To (inclusive)').fill(day(40));
    await page.getByLabel('To (inclusive)').press('Enter');
    await expect.poll(() => page.url()).toContain(`period=${day(40)}..${day(40)}`);
    await expect.poll(() => textOf(page, 'Totals')).toMatch(/^3 sales\$147\.00 revenue/);
    await page
      .getByRole('button', { expanded: false })
      .filter({ hasText: /20\d\d$/ })
      .click();
    await page.getByRole('button', { name: 'Any date' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(7);
  });

  it('of a page that stays open overnight move with the day', async () => {
    const { page, leave } = await visitDashboard(scene.browser, await signInUrlOf(scene.app));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.clock.install({ time: '2026-03-28T23:58:05Z' });
    const days: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/deliveries') days.push(searchParams.get('from'));
    });
    await page.goto(`${scene.app.url}/dashboard/deliveries?period=today`);
    await page.getByText('Live', { exact: true }).waitFor();
    // nothing else renders the page by then
    await page.clock.fastForward(60_000);
    await page.clock.fastForward(60_000);
    await expect.poll(() => days).toEqual(['2026-03-28', '2026-03-29']);
    await leave();
  });

  it('beside a list are in the direction of their language', async () => {
    const { page, leave } = await visitDashboard(scene.browser, await signInUrlOf(scene.app), { locale: 'ar' });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${scene.app.url}/dashboard/sales`);
    await page.locator('tbody tr a').first().click();
    await page.locator('main dl time').first().waitFor();
    const directionOf = (part: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${part}')).direction`);
    expect(await directionOf('main dl time')).toBe('rtl');
    // as are names, which may contain words of another direction
    const body = { name: 'شركة ABC (م.م)' };
    await scene.app.call('PATCH', `/api/partners/${scene.ana.partnerId}`, { body });
    await page.goto(`${scene.app.url}/dashboard/sales?partnerId=${scene.ana.partnerId}`);
    await page.locator('tbody tr a').first().click();
    await page.locator('main dl').getByText(body.name).click();
    await page.getByRole('heading', { level: 2, name: body.name }).waitFor();
    expect(await directionOf('main h2 > bdi')).toBe('rtl');
    await scene.app.call('PATCH', `/api/partners/${scene.ana.partnerId}`, { body: { name: 'Ana' } });
    await leave();
  });

  it.each([
    ['/sales?period=30d&status=pending', /^4 sales\$600\.50 \+ €7\.00 in all/],
    // more months than reports have
    ['/sales?period=1980-01-01..2099-12-31', /^7 sales\$747\.50 \+ €7\.00 in all/],
    ['/customers?period=today', /^4 customers/],
    ['/deliveries?period=7d', /^8 deliveries/],
    ['/unattributed?period=7d', /^8 payments\$36\.00 in all/],
    ['/payouts?period=2020-01-01..2099-12-31', /^\d payouts\$[\d.]+( \+ €1\.40)? collecting\$29\.40 to be paid/],
    ['/payouts?period=2020-01-01..2099-12-31&status=processing', /^2 payouts\$29\.40 to be paid/],
    ['/ledger?period=7d&kind=commission', /^4 entries\$120\.10 \+ €1\.40 in all/],
  ])('%s shows its totals', async (address, totals) => {
    const page = await scene.show(address);
    await expect.poll(() => textOf(page, 'Totals')).toMatch(totals);
  });

  it('narrow the results of links, but not the links', async () => {
    const page = await scene.show('/links?period=2000-01-01..2000-01-31');
    const clicks = () => page.locator('tbody td:nth-child(3)').allTextContents();
    expect(await clicks()).toEqual(['0', '0']);
    await page.getByRole('button', { name: 'Jan 1 – 31, 2000' }).click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    // each link's sale came from a separate click
    await expect.poll(clicks).toEqual(['1', '3']);
  });

  it('show what a partner earned, however many entries there are', async () => {
    const page = await scene.show(`/ledger?period=7d&partnerId=${scene.ana.partnerId}`);
    await expect.poll(() => textOf(page, 'Totals')).toMatch(/^3 entries\$120\.10 in all\$120\.10 earned/);
  });

  it('of a sale that was reported late are two: it is listed by when it was recorded', async () => {
    const stripe = await createEndpoint(scene.app, 'stripe');
    const externalId = unique('late');
    await scene.ana.lead(externalId);
    const times = () => page.getByRole('region', { name: 'Sale', exact: true }).locator('dl time').count();
    const page = await scene.show('/sales');
    await page.locator('tbody tr a').first().click();
    await expect.poll(times).toBe(1);
    const created = Math.floor((scene.filledAt - 3 * DAY_MS) / 1000);
    await stripe.deliver({ ...checkoutCompleted({ externalId, amount: 1_500 }), created });
    await scene.show('/sales?period=today');
    await page
      .getByRole('row', { name: /\$15\.00/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByText('Recorded', { exact: true }).waitFor();
    expect(await times()).toBe(2);
  });
});
