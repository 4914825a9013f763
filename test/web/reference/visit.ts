import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A visit to the reference, and the problems in the browser: exceptions, console errors, refused resources. */
export interface Visit {
  page: Page;
  problems: string[];
  leave(): Promise<void>;
}

/** Opens the reference at `url`; every request to another host is a problem. */
export async function visitReference(browser: Browser, url: string, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => problems.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith('data:'))
      problems.push(request.url());
  });
  page.on('requestfailed', (request) => problems.push(`${request.url()} failed`));
  await page.goto(url);
  return { page, problems, leave: () => context.close() };
}

/** During a transition, a color belongs to neither theme. */
const END_TRANSITIONS =
  'for (const moving of document.getAnimations()) if (moving instanceof CSSTransition) moving.finish()';

/** Gives the window a size, and waits until the page is rendered for it: a script may choose other columns. */
export async function resize(page: Page, width: number, height = 900): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate('new Promise(requestAnimationFrame)');
}

/**
 * The accessibility problems that axe-core finds: with all rules, or only with these when the others were checked
 * before. A page that hides its content while a part of it loads is looked at again.
 */
export async function accessibilityProblems(page: Page, only?: readonly string[]): Promise<string[]> {
  for (let looks = 1; ; looks += 1) {
    const { violations, unchecked } = await audit(page, only);
    if (unchecked.length === 0 || looks === LOOKS_MAX) {
      return [...violations, ...unchecked.map((rule) => `${rule} was not checked`)];
    }
    await page.waitForTimeout(LOOK_AGAIN_MS);
  }
}

const LOOKS_MAX = 3;
const LOOK_AGAIN_MS = 500;

/** `unchecked`: the rules that found nothing to check, although every page has something for them. */
async function audit(page: Page, only: readonly string[] | undefined) {
  // through the debugger, because the page's policy blocks added scripts
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  await page.evaluate(END_TRANSITIONS);
  // one node of each passed check is enough
  const options = JSON.stringify({
    resultTypes: ['violations'],
    selectors: false,
    // of WCAG 2.2, whose rules are off by default
    ...(only === undefined ? { rules: { 'target-size': { enabled: true } } } : { runOnly: only }),
  });
  const script = `axe.run(document, ${options}).then(({ violations, passes }) => ({
    violations: violations.map(({ id, impact, nodes }) =>
      impact + ' ' + id + ': ' + nodes.slice(0, 3).map(({ html }) => html).join(' ')),
    passed: passes.map(({ id }) => id),
  }))`;
  const { violations, passed }: { violations: string[]; passed: string[] } = await page.evaluate(script);
  const unchecked = (only ?? ['color-contrast', 'heading-order', 'link-name']).filter((rule) => !passed.includes(rule));
  return { violations, unchecked };
}
