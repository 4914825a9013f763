import type { Browser, BrowserContextOptions } from 'playwright-core';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { type BrowserApp, signInUrlOf } from './example.ts';
import { type Visit, visitDashboard } from './visit.ts';

/** A service with an account, whose owner has the dashboard open. */
export interface Scene extends BrowserApp, Pick<Visit, 'page' | 'problems'> {
  browser: Browser;
  /** Opens an address of the dashboard. */
  show(address: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Signs the owner in. */
export async function openScene(example: BrowserApp, options: BrowserContextOptions = {}): Promise<Scene> {
  const { app } = example;
  const browser = await sharedChromium();
  const { page, problems } = await visitDashboard(browser, await signInUrlOf(app), options);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return {
    ...example,
    browser,
    page,
    problems,
    show: (address) => page.goto(`${app.url}/dashboard${address}`),
    async close() {
      await closePages(browser);
      await app.close();
    },
  };
}
