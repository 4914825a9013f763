/** `npm run screenshots` */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { buildPages } from '../../../.ci/build-pages.ts';
import { createPerformance } from '../../../src/cli/demo/performance.ts';
import { setStage } from '../../../src/cli/demo/stage.ts';
import { tellStories } from '../../../src/cli/demo/stories.ts';
import { launchChromium } from '../../helpers/chromium.ts';

const HELP = `npm run screenshots -- [folder] [options]

Takes pictures of the dashboard's main pages with example data: light and dark, wide and narrow.

  folder    where the pictures go   (default docs/images)
  --all     all pages`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit();
}
const [folder = join(import.meta.dirname, '../../../docs/images')] = positionals;

/** Name and address; the first row of those with a list is opened. */
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
  ['connections', '/connections'],
  ['terms', '/program'],
  ['portal', '/program?tab=portal'],
  ['program-links', '/program?tab=links'],
  ['delivery', '/deliveries', true],
  ['origins', '/program?tab=origins'],
  ['keys', '/settings'],
  ['operators', '/settings?tab=operators'],
  ['you', '/settings?tab=you'],
  ['sessions', '/settings?tab=sessions'],
  ['data', '/settings?tab=data'],
  ['log', '/settings?tab=log'],
];

/** For what loads after the list: the portal's preview, the latest sales. */
const SETTLE_MS = 1_000;

const SIZES = [
  ['wide', { width: 1440, height: 900 }],
  ['narrow', { width: 390, height: 844 }],
] as const;

await buildPages();
mkdirSync(folder, { recursive: true });
const stage = await setStage({ history: true });
const browser = await launchChromium();
try {
  // with the shop, whose page embeds the portal, the setup is complete
  await stage.openShop();
  await tellStories(createPerformance(stage, () => {}));
  for (const [size, viewport] of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en-US', timezoneId: 'UTC' });
      const page = await context.newPage();
      await page.goto(await stage.signInUrl());
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      for (const [name, address, opensFirst] of options.all ? [...SHOTS, ...FURTHER] : SHOTS) {
        await show(page, `${stage.url}/dashboard${address}`, opensFirst === true);
        await page.screenshot({ path: join(folder, `dashboard-${name}-${size}-${colorScheme}.png`) });
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await stage.close();
}

async function show(page: Page, address: string, opensFirst: boolean): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(SETTLE_MS);
  if (!opensFirst || (await page.locator('tbody tr a').count()) === 0) return;
  await page.locator('tbody tr a').first().click();
  await page.locator('section[aria-label] h2').first().waitFor();
  // otherwise the row looks as it does under the pointer
  await page.mouse.move(0, 0);
  await page.waitForTimeout(SETTLE_MS);
}
