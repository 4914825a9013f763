import type { Page } from 'playwright-core';
import { runPayouts, sell } from '../../helpers/earning.ts';
import { beginWithinADay } from '../../helpers/one-day.ts';
import { createEndpoint, createReferrer, type Referrer } from '../../helpers/story.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';
import { accessibilityProblems, resize } from '../reference/visit.ts';
import { type BrowserApp, createBrowserApp } from './example.ts';
import { openScene, type Scene } from './scene.ts';

const DAY_MS = 86_400_000;

/** How many payments are parked: of $1.00, $2.00 and so on. */
export const PARKED = 8;

/** An owner who looks at the lists of a small account. */
export interface ListScene extends Scene {
  /** The sales of Ana: two of $49.00 from 40 days ago and three from today. A partner called Ben has one of each. */
  ana: Referrer;
  /** When the sales from today were made: midnight may have passed since. */
  filledAt: number;
  listOf(path: string): Promise<{ id: string }[]>;
  /** Opens an address of the dashboard, and waits for its list. */
  show(address: string): Promise<Page>;
}

export async function createListScene(): Promise<ListScene> {
  const example = await createBrowserApp();
  const { app } = example;
  await beginWithinADay();
  const filledAt = Date.now();
  const ana = await fill(example);
  const scene = await openScene(example);
  const { page } = scene;
  return {
    ...scene,
    ana,
    filledAt,
    listOf: async (path) => (await app.call('GET', path)).body.data,
    async show(address) {
      await scene.show(address);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('table[aria-busy="false"]').waitFor();
      return page;
    },
  };
}

async function fill({ app, clock }: BrowserApp): Promise<Referrer> {
  const ana = await createReferrer(app, { name: 'Ana' });
  const ben = await createReferrer(app, { name: 'Ben' });
  clock.now = Date.now() - 40 * DAY_MS;
  for (const referrer of [ana, ana, ben]) await sell(app, referrer, { amount: 4_900 });
  clock.now = 0;
  for (const amount of [10_000, 20_000, 30_050]) await sell(app, ana, { amount });
  await sell(app, ben, { amount: 700, currency: 'eur' });
  const stripe = await createEndpoint(app, 'stripe');
  for (let number = 1; number <= PARKED; number += 1) await stripe.deliver(checkoutCompleted({ amount: number * 100 }));
  await runPayouts(app);
  return ana;
}

/** Types an adjustment for Ana into the dialog of the ledger. */
export async function fillAdjustment(page: Page, reason: string): Promise<void> {
  await page.getByRole('button', { name: 'Adjustment' }).click();
  await page.getByRole('combobox', { name: 'Partner' }).fill('ana');
  await page.getByRole('option', { name: 'Ana' }).click();
  await page.getByLabel('Amount').fill('12.00');
  await page.getByLabel('Reason').fill(reason);
}

/** The text of a part of the page, with single spaces. */
export async function textOf(page: Page, name: string): Promise<string> {
  return ((await page.getByRole('region', { name }).textContent()) ?? '').replaceAll(/\s+/g, ' ');
}

/** Accessibility problems in both themes and at all widths, with what is open; an open dialog hides everything else. */
export async function auditOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  const problems = await accessibilityProblems(page, rules);
  await page.emulateMedia({ colorScheme: 'dark' });
  problems.push(...(await accessibilityProblems(page, ['color-contrast'])));
  await page.emulateMedia({ colorScheme: 'light' });
  for (const width of [390, 320, 1440]) {
    await resize(page, width);
    const needed = await page.evaluate('document.documentElement.scrollWidth');
    if (needed !== width) problems.push(`needs ${needed} of ${width} pixels`);
  }
  return problems;
}
