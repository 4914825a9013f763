import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { keepIntercepting } from '../../helpers/chromium.ts';

/** A visit to the dashboard, and the problems in the browser: exceptions, errors, violations of the policy. */
export interface Visit {
  page: Page;
  problems: string[];
  leave(): Promise<void>;
}

/** How long one step may take on a busy machine. */
const STEP_MS = 30_000;

/** Opens `url` in a new browser context. */
export async function visitDashboard(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US', ...options });
  context.setDefaultTimeout(STEP_MS);
  await keepIntercepting(context);
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));
    globalThis.layoutShift = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) layoutShift += value;
    }).observe({ type: 'layout-shift', buffered: true });`,
  );
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // a refused request is an answer, which the page shows
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) problems.push(message.text());
  });
  await page.goto(url);
  return { page, problems, leave: () => context.close() };
}
