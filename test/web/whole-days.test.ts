import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCsvText } from '../exchange/import-text.ts';
import { closePages, sharedChromium } from '../helpers/chromium.ts';
import { createReferrer } from '../helpers/story.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './dashboard/example.ts';
import { visitDashboard } from './dashboard/visit.ts';

const IN_THE_WEST = { timezoneId: 'America/Los_Angeles', locale: 'en-US' };

let example: BrowserApp;
let folder: string;
let partnerId: string;
beforeAll(async () => {
  [example, folder] = await Promise.all([createBrowserApp(), mkdtemp(join(tmpdir(), 'whole-days-'))]);
  partnerId = (await createReferrer(example.app, { name: 'Ana', email: 'ana@example.com' })).partnerId;
  const commissions =
    'ID,Affiliate,Commission,Currency,State,Created at,Payout,Customer,Sale amount,Invoice\n' +
    'c_1,ana@example.com,9.80,USD,paid,2025-12-01,p_1,user_1001,49.00,in_1001\n';
  await importCsvText(example.app, folder, 'commissions', { text: commissions });
  const payouts = 'Payout ID,Partner,Amount,Currency,State,Paid at\np_1,ana@example.com,9.80,USD,paid,2026-01-01\n';
  const { created, changed } = await importCsvText(example.app, folder, 'payouts', { text: payouts });
  expect(created + changed).toBe(1);
});
afterAll(async () => {
  await closePages(await sharedChromium());
  await example.app.close();
  await rm(folder, { recursive: true });
});

describe('a payout that was imported with a day, seen west of UTC', () => {
  it('has that day, and its year, in the dashboard', async () => {
    const { app } = example;
    const { page } = await visitDashboard(await sharedChromium(), await signInUrlOf(app), IN_THE_WEST);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${app.url}/dashboard/payouts?status=paid`);
    const row = page.getByRole('row', { name: /Ana/ });
    await row.getByText('Jan 1, 2026').waitFor();
    await row.getByRole('link').first().click();
    const detail = page.getByRole('region', { name: 'Payout', exact: true });
    await detail
      .getByRole('definition')
      .filter({ hasText: /^Jan 1, 2026$/ })
      .first()
      .waitFor();
    // with the year, because today may be 31 December
    expect(await page.getByText('Dec 31, 2025').count()).toBe(0);
  });

  it('has that day in the portal', async () => {
    const { app } = example;
    const { body } = await app.call('POST', `/api/partners/${partnerId}/portal-link`);
    const page = await (await (await sharedChromium()).newContext(IN_THE_WEST)).newPage();
    await page.goto(body.url);
    await page.locator('.payouts').getByText('Jan 1, 2026').waitFor();
    await page.locator('.sales').getByText('Dec 1, 2025').waitFor();
  });
});
