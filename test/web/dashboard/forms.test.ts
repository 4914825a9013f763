import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { periodOf } from '../../../src/web/dashboard/pages/overview/periods.ts';
import { termsText } from '../../../src/web/dashboard/pages/program/terms-text.ts';
import { workedAmounts } from '../../../src/web/dashboard/pages/program/worked-amounts.ts';
import { parseAmounts, parseCommission } from '../../../src/web/dashboard/ui/commission-text.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { createReferrer } from '../../helpers/story.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './example.ts';
import { type Visit, visitDashboard } from './visit.ts';

describe('what is typed', () => {
  it.each([
    ['5.00 USD, 4.50 EUR', { usd: 500, eur: 450 }],
    ['500 jpy', { jpy: 500 }],
    ['', {}],
    ['6.00 USD 4.50 EUR', null],
    ['6.00 USD, 7.00 USD', null],
    ['6.00', null],
    ['6.00 USD,', null],
  ])('as amounts, %j, is read as a whole or not at all', (text, amounts) => {
    expect(parseAmounts(text)).toEqual(amounts);
  });

  it.each([
    ['12.55', 1255],
    ['12.', 1200],
    [' 100 ', 10_000],
    ['12.555', undefined],
    ['100.01', undefined],
    ['-1', undefined],
    ['1e1', undefined],
    ['', undefined],
  ])('as a percentage, %j, is never rounded', (percent, rateBasisPoints) => {
    const read = parseCommission({ type: 'percentage', percent, amounts: '' });
    expect(read).toEqual(rateBasisPoints && { type: 'percentage', rateBasisPoints });
  });

  it.each([
    [
      { type: 'percentage', rateBasisPoints: 2555 },
      'net',
      { currency: 'usd', base: 10_000, earned: 2555, afterHalf: 1277 },
    ],
    [
      { type: 'percentage', rateBasisPoints: 2000 },
      'gross',
      { currency: 'usd', base: 12_000, earned: 2400, afterHalf: 1200 },
    ],
    [
      { type: 'flat', amounts: { eur: 150_00 } },
      'net',
      { currency: 'eur', base: 10_000, earned: 10_000, afterHalf: 5000 },
    ],
    [{ type: 'flat', amounts: {} }, 'net', { currency: 'usd', base: 10_000, earned: 0, afterHalf: 0 }],
  ] as const)('shows what a payment earns on %j, %s', (commission, amountBasis, amounts) => {
    expect(workedAmounts({ commission, amountBasis })).toEqual(amounts);
  });

  it('has the terms of a program, in words', () => {
    const commission = { type: 'flat', amounts: { usd: 500 } };
    const program = { commission, durationMonths: 0, holdDays: 30, minimumPayout: { eur: 1000 } };
    expect(termsText(program as never)).toMatchObject({ duration: 'first', minimumPayout: '10.00 EUR' });
  });
});

describe('a period of the overview', () => {
  it.each([
    ['12m', '2026-11-29', '2025-12-01', '2026-11-30', 'month'],
    ['12m', '2026-11-30', '2025-12-01', '2026-12-01', 'month'],
    ['12m', '2027-01-01', '2026-02-01', '2027-01-02', 'month'],
    ['90d', '2026-11-28', '2026-08-31', '2026-11-29', 'day'],
    ['last-month', '2027-01-31', '2026-12-01', '2027-01-01', 'day'],
  ] as const)('%s, on %s, begins on %s', (name, today, from, to, interval) => {
    expect(periodOf(name, Date.parse(today))).toEqual({ from, to, interval });
  });
});

describe('the forms of the dashboard', () => {
  let example: BrowserApp;
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    [example, browser] = await Promise.all([createBrowserApp(), sharedChromium()]);
    visit = await visitDashboard(browser, await signInUrlOf(example.app));
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await visit.leave();
    await closePages(browser);
    await example.app.close();
  });

  const show = (address: string) => visit.page.goto(`${example.app.url}/dashboard${address}`);
  const program = async () => (await example.app.call('GET', `/api/programs/${example.app.programId}`)).body;
  const saveTerms = async () => {
    await visit.page.getByRole('button', { name: 'Save the terms' }).click();
    await visit.page.getByText('Sales from now on follow these terms').last().waitFor();
  };

  it('are on tabs, which one passes through and leaves', async () => {
    const { page, problems } = visit;
    for (const [address, heading] of [
      ['/program', 'Program'],
      ['/settings', 'Settings'],
    ] as const) {
      await show(address);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      const tabs = page.getByRole('navigation', { name: heading }).getByRole('button');
      // they are shown once their data has arrived
      await tabs.nth(3).waitFor();
      const count = await tabs.count();
      expect(count).toBeGreaterThan(3);
      for (let n = count - 1; n >= 0; n -= 1) {
        await tabs.nth(n).click();
        await expect.poll(() => tabs.nth(n).getAttribute('aria-current')).toBe('true');
        expect(await page.getByText('This could not be shown').count()).toBe(0);
      }
      await page.getByRole('link', { name: 'Sales', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    }
    expect(problems).toEqual([]);
  });

  it('take a currency out of a fixed commission', async () => {
    const commission = { type: 'flat', amounts: { usd: 500, eur: 450 } };
    await example.app.call('PATCH', `/api/programs/${example.app.programId}`, { body: { commission } });
    await show('/program');
    await visit.page.getByLabel('Amounts').fill('6.00 USD');
    await saveTerms();
    expect((await program()).commission).toEqual({ type: 'flat', amounts: { usd: 600 } });
  });

  it('send only what was changed, so that changes of others stay', async () => {
    await show('/program');
    await visit.page.getByLabel('Description').waitFor();
    const commission = { type: 'percentage', rateBasisPoints: 1_000 };
    const path = `/api/programs/${example.app.programId}`;
    await example.app.call('PATCH', path, { body: { holdDays: 60, commission } });
    await visit.page.getByLabel('Description').fill('For friends');
    await saveTerms();
    expect(await program()).toMatchObject({ description: 'For friends', holdDays: 60, commission });
  });

  it('change one discount code of a partner, and leave the others alone, whatever is in them', async () => {
    const { page } = visit;
    const discountCodes = ['SPRING, 20', 'WINTER SALE'];
    const { partnerId } = await createReferrer(example.app, { discountCodes });
    const partner = async () => (await example.app.call('GET', `/api/partners/${partnerId}`)).body;
    await show(`/partners/${partnerId}`);
    const change = async (label: string, text: string) => {
      await page.getByRole('button', { name: 'Change', exact: true }).first().click();
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).last().waitFor();
    };
    await change('Name', 'Bea');
    expect(await partner()).toMatchObject({ name: 'Bea', discountCodes });
    await change('Discount codes', '"SPRING, 20", winter sale, BEA10');
    expect(await partner()).toMatchObject({ discountCodes: ['BEA10', 'SPRING, 20', 'winter sale'] });
  });

  it('keep what was typed while another tab is shown, and still send only that', async () => {
    const { page } = visit;
    const tabs = (heading: string) => page.getByRole('navigation', { name: heading, exact: true });
    await show('/program');
    const percent = page.getByLabel('Percent');
    await percent.fill('33');
    await tabs('Program').getByRole('button', { name: 'Links' }).click();
    const firstLink = page.getByLabel('First link of a new partner');
    await firstLink.fill('https://shop.example.com/');
    await tabs('Program').getByRole('button', { name: 'Terms' }).click();
    expect(await percent.inputValue()).toBe('33');
    await saveTerms();
    const deadLinkUrl = 'https://shop.example.com/gone';
    await example.app.call('PATCH', `/api/programs/${example.app.programId}`, { body: { deadLinkUrl } });
    await tabs('Program').getByRole('button', { name: 'Links' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).last().waitFor();
    expect(await program()).toMatchObject({
      commission: { type: 'percentage', rateBasisPoints: 3_300 },
      defaultUrl: 'https://shop.example.com/',
      deadLinkUrl,
    });
    await show('/settings?tab=you');
    await page.getByLabel('Name').fill('Olga O.');
    await tabs('Settings').getByRole('button', { name: 'Sessions' }).click();
    await tabs('Settings').getByRole('button', { name: 'You' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Olga O.');
  });

  it.each(['250', '100.01', '-1', '12,5', ''])('say at the field that %j is no percentage', async (typed) => {
    const { page } = visit;
    await example.app.call('PATCH', `/api/programs/${example.app.programId}`, {
      body: { commission: { type: 'percentage', rateBasisPoints: 10_000 } },
    });
    await show('/program');
    const save = page.getByRole('button', { name: 'Save the terms' });
    await save.waitFor();
    expect(await save.isDisabled()).toBe(false);
    await page.getByLabel('Percent').fill(typed);
    await page.getByText('A number from 0 to 100, such as 12.5').waitFor();
    expect(await save.isDisabled()).toBe(true);
  });

  it('keep what was typed when the session has ended, and send it after signing in elsewhere', async () => {
    const { page } = visit;
    await show('/program');
    const description = page.getByLabel('Description');
    await description.fill('Typed for minutes');
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save the terms' }).click();
    await page.getByText('Your session has ended. Sign in in another tab').waitFor();
    await page.context().addCookies(cookies);
    expect(await description.inputValue()).toBe('Typed for minutes');
    await saveTerms();
    expect((await program()).description).toBe('Typed for minutes');
  });

  it('end the access to a portal after saying what that means, and say what ended', async () => {
    const { page } = visit;
    const { partnerId } = await createReferrer(example.app, { name: 'Ana' });
    await show(`/partners/${partnerId}`);
    await page.getByRole('button', { name: 'Create a link to the portal' }).click();
    const link = page.getByText('/portal#code=');
    await link.waitFor();
    const end = async () => {
      await page.getByRole('button', { name: 'End access' }).click();
      const dialog = page.getByRole('dialog', { name: 'End access to the portal of Ana?' });
      await dialog.getByRole('button', { name: 'End all access' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await end();
    await page.getByText('Ended: 1 unused link').waitFor();
    expect(await link.count()).toBe(0);
    await end();
    await page.getByText('Nobody had access').waitFor();
  });

  it('open a customer, whatever is in the id', async () => {
    const referrer = await createReferrer(example.app);
    for (const externalId of ['p%41', '100%', 'ana+shop@example.com', 'gid://shop/Customer/7', 'a?b#c&d']) {
      await referrer.lead(externalId);
      await show(`/customers/${encodeURIComponent(externalId)}`);
      const region = visit.page.getByRole('region', { name: 'Customer', exact: true });
      await region.getByText(externalId, { exact: true }).first().waitFor();
    }
  });
});
