import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core';

/** Somebody with a browser profile of their own. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** What was thrown into the pages they saw, rejections that nobody handled included. */
  errors: string[];
  cookie(): Promise<Cookie | undefined>;
  /** What the page at hand says of itself. */
  clickId(): Promise<string | null | undefined>;
  ready(): Promise<string | null | undefined>;
  leave(): Promise<void>;
}

/** A headless browser names itself, and is taken for a bot. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

export async function newVisitor(browser: Browser): Promise<Visitor> {
  const context = await browser.newContext({ userAgent: USER_AGENT });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  return {
    context,
    page,
    errors,
    cookie: async () => (await context.cookies()).find(({ name }) => name === 'svc_id'),
    clickId: () => page.evaluate('window.refbridge && window.refbridge.getClickId()'),
    ready: () => page.evaluate('window.refbridge && window.refbridge.ready'),
    leave: () => context.close(),
  };
}
