// `npm run screenshots [-- <folder> --all]`: pictures of the main pages, or of all, with example data, light and dark, wide
// and narrow.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { buildPages } from '../../../.ci/build-pages.ts';
import { launchChromium } from '../../helpers/chromium.ts';
import { createBrowserApp, playExample } from './example.ts';

const FOLDER = process.argv[2] ?? join(import.meta.dirname, '../../../docs/images');
const IS_ALL = process.argv.includes('--all');

/** Name, address; those with a list open its first row. */
const SHOTS: readonly [name: string, address: string, opensFirst?: boolean][] = [
  ['overview', '/'],
  ['sale', '/sales', true],
  ['deliveries', '/deliveries', true],
  ['connection', '/connections', true],
];

const FURTHER: typeof SHOTS = [
  ['partner', '/partners', true],
  ['payouts', '/payouts'],
  ['sales', '/sales'],
  ['unattributed', '/unattributed', true],
  ['customers', '/customers', true],
  ['links', '/links', true],
  ['payout', '/payouts', true],
  ['ledger', '/ledger'],
  ['terms', '/program'],
  ['portal', '/program?tab=portal'],
  ['origins', '/program?tab=origins'],
  ['keys', '/settings'],
  ['operators', '/settings?tab=operators'],
  ['you', '/settings?tab=you'],
  ['sessions', '/settings?tab=sessions'],
  ['log', '/settings?tab=log'],
];

const SIZES = [
  ['wide', { width: 1440, height: 900 }],
  ['narrow', { width: 390, height: 844 }],
] as const;

await buildPages();
mkdirSync(FOLDER, { recursive: true });
const [example, browser] = await Promise.all([createBrowserApp(), launchChromium()]);
try {
  const signInUrl = await playExample(example);
  for (const [size, viewport] of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en-US', timezoneId: 'UTC' });
      const page = await context.newPage();
      await page.goto(await signInUrl());
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      for (const [name, address, opensFirst] of IS_ALL ? [...SHOTS, ...FURTHER] : SHOTS) {
        await show(page, `${example.app.url}/dashboard${address}`, opensFirst === true);
        await page.screenshot({ path: join(FOLDER, `dashboard-${name}-${size}-${colorScheme}.png`) });
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await example.app.close();
}

async function show(page: Page, address: string, opensFirst: boolean): Promise<void> {
  await page.goto(address);
  await page.waitForLoadState('networkidle').catch(() => undefined);
  if (!opensFirst || (await page.locator('tbody tr a').count()) === 0) return;
  await page.locator('tbody tr a').first().click();
  await page.locator('section[aria-label] h2').first().waitFor();
  await page.waitForTimeout(500);
}
