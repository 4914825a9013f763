import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { runPayouts } from '../../helpers/earning.ts';
import { createReferrer } from '../../helpers/story.ts';
import { accessibilityProblems } from '../reference/visit.ts';

const ENTRIES = 250;
const WORDS = {
  en: 'The CSV file has every entry.',
  de: 'Die CSV-Datei enthält alle Posten.',
  fr: 'Le fichier CSV contient toutes les écritures.',
  es: 'El archivo CSV contiene todos los movimientos.',
  pt: 'O arquivo CSV contém todos os lançamentos.',
  ja: 'CSVファイルにはすべての明細が含まれています。',
};

let app: TestApp;
let browser: Browser;
let partnerId: string;

beforeAll(async () => {
  [app, browser] = await Promise.all([createTestApp('sqlite'), sharedChromium()]);
  partnerId = (await createReferrer(app, { email: 'paula@example.com' })).partnerId;
  const adjust = (amount: number) =>
    app.call('POST', '/api/adjustments', { body: { partnerId, amount, currency: 'usd', reason: `No. ${amount}` } });
  await Promise.all(Array.from({ length: ENTRIES }, (_, index) => adjust(index + 1)));
  await runPayouts(app);
});
afterAll(async () => {
  await closePages(browser);
  await app.close();
});

async function openStatement(lang: string, width = 1000) {
  const { body } = await app.call('POST', '/api/embed/token', { body: { enrollmentId: partnerId } });
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${app.url}/embed/referrals?token=${body.publicToken}&lang=${lang}`);
  await page.locator('.payouts button').first().click();
  await page.locator('.statement').waitFor();
  return { page, rows: page.locator('.statement tbody tr'), leave: () => context.close() };
}

it('a long statement is shown page by page, adds up at every step, and is printed whole', async () => {
  const { page, rows, leave } = await openStatement('en');
  expect(await rows.count()).toBe(100);
  const foot = page.locator('.statement tfoot tr');
  const amounts = async () => {
    const texts = await page.locator('.statement tbody .number, .statement .earlier .number').allInnerTexts();
    return texts.reduce((sum, text) => sum + Math.round(Number(text.replace(/[$,]/g, '')) * 100), 0);
  };
  const total = (ENTRIES * (ENTRIES + 1)) / 2;
  expect(await foot.first().textContent()).toMatch(/^Earlier entries: 150\D/);
  expect(await amounts()).toBe(total);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => rows.count()).toBe(200);
  expect(await foot.first().textContent()).toMatch(/^Earlier entries: 50\D/);
  expect(await amounts()).toBe(total);
  await page.evaluate("window.print = () => { printed = document.querySelectorAll('.statement tbody tr').length; }");
  await page.getByRole('button', { name: 'Print' }).click();
  await expect.poll(() => page.evaluate('globalThis.printed')).toBe(ENTRIES);
  expect(await foot.count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  expect(await amounts()).toBe(total);
  await leave();
});

it.each(Object.entries(WORDS))(
  'one that is too long to print says which file contains everything, in %s',
  async (lang, words) => {
    const setCount = (count: number) =>
      app.service.database.write((tx) =>
        tx.run("UPDATE payouts SET entry_count = @count WHERE status = 'processing'", { count }),
      );
    await setCount(10_001);
    const { page, leave } = await openStatement(lang, 320);
    await page.getByText(words).waitFor();
    // the buttons for more entries, for the file, and for closing
    expect(await page.locator('.statement button').count()).toBe(3);
    expect(await page.locator('.statement .primary').count()).toBe(1);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    const problems = await accessibilityProblems(page);
    expect(problems.filter((problem) => problem !== 'link-name was not checked')).toEqual([]);
    await setCount(ENTRIES);
    await leave();
  },
);
