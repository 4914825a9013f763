import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportRunner, startImportRunner } from '../../../src/exchange/jobs/runner.ts';
import { rewardfulFixture } from '../../exchange/sources/rewardful.ts';
import { startSource } from '../../exchange/sources/server.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { createOperator } from '../../helpers/operators.ts';
import { accessibilityProblems } from '../reference/visit.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './example.ts';
import { type Visit, visitDashboard } from './visit.ts';

const PEOPLE = 40;
const FILE = `E-mail,Name,Notes\n${Array.from({ length: PEOPLE }, (_, n) => `ana${n}@example.com,Ana ${n},x\n`).join('')}not an address,Bob,x\n`;
/** A CSV file that somebody exported elsewhere. */
const asFile = (text: string) => ({ name: 'partners.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

describe('moving data in the dashboard', () => {
  let example: BrowserApp;
  let runner: ImportRunner;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    [example, browser] = await Promise.all([createBrowserApp(), sharedChromium()]);
    runner = startImportRunner(example.app.service, { pollMs: 50 });
    visit = await visitDashboard(browser, await signInUrlOf(example.app));
    ({ page } = visit);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await open();
  });
  afterAll(async () => {
    await visit.leave();
    await closePages(browser);
    await runner.stop();
    await example.app.close();
  });
  const open = async () => {
    await page.goto(`${example.app.url}/dashboard/settings?tab=data`);
    await page.getByRole('heading', { name: 'Import' }).waitFor();
  };
  const button = (name: string) => page.getByRole('button', { name });
  const countOf = async () => (await example.app.call('GET', '/api/partners?limit=100')).body.data.length;
  /** Checks the page in the current theme and at the current width. */
  const expectAccessible = async () => expect(await accessibilityProblems(page, ['color-contrast'])).toEqual([]);

  it('runs a file as a dry run, shows the report, and imports it for real', async () => {
    expect(await button('Try it: a dry run').isDisabled()).toBe(true);
    await page.getByLabel('File').setInputFiles(asFile(FILE));
    await button('Try it: a dry run').click();
    await page.getByText('A dry run: nothing was stored.').waitFor();
    await page.getByText('Line 42').waitFor();
    await page.getByText('must be an e-mail address').waitFor();
    await page.getByText('Columns not read: Notes').waitFor();
    expect(await countOf()).toBe(0);
    await expectAccessible();
    expect(page.url()).toContain('import=imp_');
    await button('Import for real').click();
    await page.getByText('Imported.').waitFor();
    expect(await countOf()).toBe(PEOPLE);
    // the report can be reopened
    await button('New import').click();
    await page.getByRole('button', { name: /Partners from a CSV file.*Completed Dry run/ }).click();
    await page.getByText('To import it for real, fill in the form once more.').waitFor();
  });

  it('reports what is wrong with a file, and keeps the selected one', async () => {
    await open();
    await page.getByLabel('Its rows are').selectOption('links');
    await page.getByLabel('File').setInputFiles(asFile(FILE));
    await button('Try it: a dry run').click();
    await page.getByText(/key: has no column/).waitFor();
    await button('New import').click();
    expect(await page.getByLabel('Its rows are').inputValue()).toBe('links');
  });

  it('sends a part of a file again when the server restarts meanwhile', async () => {
    await open();
    let isDown = true;
    const address = '**/api/imports/*/file?*';
    await page.route(address, (route) =>
      isDown ? route.fulfill({ status: 502, body: 'restarting' }) : route.continue(),
    );
    await page.getByLabel('File').setInputFiles(asFile(FILE));
    await button('Try it: a dry run').click();
    await page.getByText('Sending the file').waitFor();
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.type());
      return dialog.dismiss();
    });
    // also from another page, whose form is given up on the way back
    await page.getByRole('link', { name: 'Program', exact: true }).click();
    await page.getByLabel('Description').fill('Half a');
    await page.goBack();
    await button('Leave anyway').click();
    await page.getByText('Sending the file').waitFor();
    await button('Sign out').click();
    await page.getByRole('dialog').getByText('The file has not been sent completely.').waitFor();
    await button('Stay here').click();
    await page.evaluate('location.reload()');
    await expect.poll(() => asked).toEqual(['beforeunload']);
    isDown = false;
    await page.getByText('A dry run: nothing was stored.').waitFor();
    await page.unroute(address);
  });

  it('leaves an import that does not exist, says when a file is not sent from here, and when it was changed after it was chosen', async () => {
    const settings = { kind: 'partners', fileBytes: 100 };
    const body = { source: 'csv', settings, dryRun: true };
    const { id } = (await example.app.call('POST', '/api/imports', { body })).body;
    await page.goto(`${example.app.url}/dashboard/settings?tab=data&import=imp_none`);
    await button('New import').click();
    await page.getByText('Waits for its file, which this page is not sending').waitFor();
    await example.app.call('POST', `/api/imports/${id}/cancel`);
    await button('New import').click();
    const folder = await mkdtemp(join(tmpdir(), 'refbridge-import-'));
    const path = join(folder, 'partners.csv');
    await writeFile(path, FILE);
    await page.getByLabel('File').setInputFiles(path);
    await writeFile(path, `${FILE}bob@example.com,Bob,x\n`);
    const countOfImports = async () => (await example.app.call('GET', '/api/imports?limit=100')).body.data.length;
    const before = await countOfImports();
    await button('Try it: a dry run').click();
    await page.getByRole('alert').getByText('The file was changed or moved after it was chosen.').waitFor();
    expect(await countOfImports()).toBe(before);
    await rm(folder, { recursive: true });
  });

  it('imports from a service, and forgets its secret', async () => {
    const source = await startSource(rewardfulFixture);
    try {
      await open();
      await page.getByLabel('From', { exact: true }).selectOption('rewardful');
      const field = page.getByLabel(/API secret of Rewardful/);
      expect(await field.getAttribute('type')).toBe('password');
      await field.fill('secret_of_a_test');
      // replaces the real address, which the page does not offer
      await page.route('**/api/imports', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        const body = route.request().postDataJSON();
        body.settings.apiUrl = source.url;
        await route.continue({ postData: JSON.stringify(body) });
      });
      await button('Try it: a dry run').click();
      await page.getByText('A dry run: nothing was stored.').waitFor();
      await page.getByRole('table', { name: 'By kind' }).waitFor();
      await page.getByText('com-4').waitFor();
      await expectAccessible();
    } finally {
      await source.close();
    }
  });

  it('exports everything with one button and one link', async () => {
    await open();
    await button('Export everything').click();
    const link = page.getByRole('link', { name: 'Download the zip' });
    await link.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toMatch(/^refbridge-\d{4}-\d{2}-\d{2}\.zip$/);
    expect(await download.failure()).toBeNull();
    await page.getByText(/Last downloaded on .* rows\./).waitFor();
  });

  it('erases a person who was found by address, after the address is typed again', async () => {
    await open();
    await page.getByLabel('Customer or partner').fill('ana7@');
    await page.getByRole('button', { name: 'ana7@example.com' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase this partner' });
    await dialog.getByText('Will be erased').waitFor();
    await expectAccessible();
    expect(await dialog.getByRole('button', { name: 'Erase for good' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type ana7@example.com to confirm').fill('ana7@example.com');
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await example.app.call('GET', '/api/partners?email=ana7@example.com')).body.data).toEqual([]);
    await page.getByLabel('Customer or partner').fill('ana7@');
    await page.getByText('Nobody matches').waitFor();
  });

  it('finds a partner who has left, too', async () => {
    const body = { name: 'Lea', email: 'lea@example.com' };
    const { id } = (await example.app.call('POST', '/api/partners', { body })).body;
    await example.app.call('POST', `/api/partners/${id}/archive`);
    await open();
    await page.getByLabel('Customer or partner').fill('lea@');
    await page.getByRole('button', { name: 'lea@example.com' }).waitFor();
  });

  it('is for owners: others read why', async () => {
    const { cookie } = await createOperator(example.app, 'member');
    const [name = '', value = ''] = cookie.split('=');
    const context = await browser.newContext();
    await context.addCookies([{ name, value, url: example.app.url }]);
    const others = await context.newPage();
    await others.goto(`${example.app.url}/dashboard/settings?tab=data`);
    await others.getByText('Only owners can import and export').waitFor();
    await context.close();
  });

  it('causes no error in the browser', () => {
    expect(visit.problems).toEqual([]);
  });
});
