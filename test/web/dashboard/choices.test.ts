import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { resize } from '../reference/visit.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './example.ts';
import { visitDashboard } from './visit.ts';

let example: BrowserApp;
let browser: Browser;

beforeAll(async () => {
  [example, browser] = await Promise.all([createBrowserApp(), sharedChromium()]);
});
afterAll(async () => {
  await closePages(browser);
  await example.app.close();
});

it('the names of the click id and of links are set under Program, Embedding', async () => {
  const { app } = example;
  const { page, problems, leave } = await visitDashboard(browser, await signInUrlOf(app));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.goto(`${app.url}/dashboard/program?tab=origins`);
  await page.getByLabel('Parameters with the click id').fill('dub_id');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('which your pages already read').first().waitFor();
  await page.getByLabel('Parameters with the click id').fill('svc_id');
  const origins = page.getByLabel('Pages that may embed the portal');
  await origins.fill('https://app.example.com\nexample.com');
  await resize(page, 390, 400);
  await page.getByRole('button', { name: 'Save' }).click();
  // at its field, not once more below, with its name in the API
  const problem = page.getByText(/must be an origin/i).first();
  await problem.waitFor();
  expect(await problem.textContent()).toMatch(/^No\. 2: must be an origin/);
  await expect.poll(async () => (await problem.boundingBox())?.y).toBeGreaterThan(0);
  await resize(page, 1280);
  expect(await origins.getAttribute('aria-invalid')).toBe('true');
  expect((await page.getByRole('alert').boundingBox())?.height).toBe(1);
  await origins.fill('');
  await page.getByLabel('Parameters with the click id').fill('svc_id\ndub_id');
  await page.getByLabel('Parameters that name a link').fill('via\nref');
  await page.getByRole('button', { name: 'Save' }).click();
  const program = async () => (await app.call('GET', `/api/programs/${app.programId}`)).body;
  await expect.poll(program).toMatchObject({ clickParameters: ['svc_id', 'dub_id'], viaParameters: ['via', 'ref'] });
  expect(problems).toEqual([]);
  await leave();
});

it('stores views of a list for the operator in this browser, by keyboard', async () => {
  const { page, problems, leave } = await visitDashboard(browser, await signInUrlOf(example.app));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const show = (address: string) => page.goto(`${example.app.url}/dashboard${address}`);
  await show('/sales?status=refunded');
  const views = page.getByRole('button', { name: 'Views', exact: true });
  await views.press('Enter');
  await page.keyboard.type('Given back');
  // gives up a word of an input method, not the name
  const debug = await page.context().newCDPSession(page);
  await debug.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Escape', windowsVirtualKeyCode: 229 });
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Given back', exact: true }).waitFor();
  await show('/sales');
  await views.press('Enter');
  await page.getByText('Stored in this browser, for you alone.').waitFor();
  await page.getByRole('link', { name: 'Given back' }).press('Enter');
  await expect.poll(() => page.url()).toContain('/dashboard/sales?status=refunded');
  await page.getByRole('button', { name: 'Given back', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Rename Given back' }).press('Enter');
  await page.getByLabel('New name of Given back').fill('Refunds');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Refunds' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('region', { name: 'Saved views' }).count()).toBe(0);
  // only of this list
  await show('/payouts');
  await views.press('Enter');
  await page.getByText('Set some filters, then save them here').waitFor();
  await show('/sales?status=refunded');
  await page.getByRole('button', { name: 'Refunds', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Delete Refunds' }).press('Enter');
  await expect.poll(() => page.getByRole('link', { name: 'Refunds' }).count()).toBe(0);
  expect(problems).toEqual([]);
  await leave();
});
