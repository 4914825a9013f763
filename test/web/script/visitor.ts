import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core';
import { VISITOR } from '../../helpers/story.ts';

/** A visitor with a separate browser profile. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Exceptions in the visited pages, including unhandled rejections. */
  errors: string[];
  /** Including what the page's script has just written. */
  cookies(): Promise<Cookie[]>;
  /** The one of the click. */
  cookie(): Promise<Cookie | undefined>;
  /** What `window.refbridge` of the current page returns. */
  clickId(): Promise<string | null | undefined>;
  ready(): Promise<string | null | undefined>;
  leave(): Promise<void>;
}

export async function newVisitor(browser: Browser): Promise<Visitor> {
  // a headless browser's own user agent would count as a bot
  const context = await browser.newContext({ userAgent: VISITOR });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const cookies = async () => {
    // a page writes its cookies without waiting for the browser, but its next look waits for them
    await page.evaluate('document.cookie');
    return context.cookies();
  };
  return {
    context,
    page,
    errors,
    cookies,
    cookie: async () => (await cookies()).find(({ name }) => name === 'svc_id'),
    clickId: () => page.evaluate('window.refbridge && window.refbridge.getClickId()'),
    ready: () => page.evaluate('window.refbridge && window.refbridge.ready'),
    leave: () => context.close(),
  };
}
