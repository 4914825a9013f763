import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core';

/** A visitor with a separate browser profile. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Exceptions in the visited pages, including unhandled rejections. */
  errors: string[];
  cookie(): Promise<Cookie | undefined>;
  /** What `window.refbridge` of the current page returns. */
  clickId(): Promise<string | null | undefined>;
  ready(): Promise<string | null | undefined>;
  leave(): Promise<void>;
}

/** A headless browser's own user agent would count as a bot. */
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
