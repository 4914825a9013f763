import type { Response } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closePages, keepIntercepting, sharedChromium } from '../../helpers/chromium.ts';
import { createBrowserApp, signInUrlOf } from './example.ts';

let example: Awaited<ReturnType<typeof createBrowserApp>>;
let browser: Awaited<ReturnType<typeof sharedChromium>>;

beforeAll(async () => {
  [example, browser] = await Promise.all([createBrowserApp(), sharedChromium()]);
});
afterAll(async () => {
  await closePages(browser);
  await example.app.close();
});

/** The speed of a cheap phone: React renders the page in many parts, and restarts some of them. */
const SLOWER = 4;
const SIGN_INS = 4;
/** The throttle uses up the rest of the core, so people sign in one after the other. */
const SIGN_IN_MAX_MS = 60_000;

it('signs in by its address on a slow machine as well, and removes the code from it', {
  timeout: SIGN_INS * SIGN_IN_MAX_MS,
}, async () => {
  for (let n = 1; n <= SIGN_INS; n++) {
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': `10.0.${n}.1` } });
    const page = await context.newPage();
    const debug = await context.newCDPSession(page);
    await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.goto(await signInUrlOf(example.app), { timeout: SIGN_IN_MAX_MS });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor({ timeout: SIGN_IN_MAX_MS });
    expect(page.url()).toBe(`${example.app.url}/dashboard/`);
    await context.close();
  }
});

it('signs in by an address pasted over the sign-in page, and says when it was already used', async () => {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '10.0.99.1' } });
  const page = await context.newPage();
  const address = await signInUrlOf(example.app);
  await page.goto(address.replace(/#.*/, ''));
  await page.getByLabel('Password').waitFor();
  await page.goto(address);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await context.clearCookies();
  await page.goto(address.replace(/#.*/, ''));
  await page.getByLabel('Password').waitFor();
  await page.goto(address);
  await page.getByRole('alert').getByText('was used or has expired').waitFor();
  expect(page.url()).not.toContain('code=');
  await page.getByLabel('E-mail address').fill('olga@example.com');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('do not match').waitFor();
  expect(await page.getByLabel('E-mail address').inputValue()).toBe('olga@example.com');
  await context.close();
});

it('by an address shows no form on a slow line, and does not end when an older address is refused late', async () => {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '10.0.94.1' } });
  const page = await context.newPage();
  await page.clock.install();
  const [late, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/api/session', async (route) => {
    const sent = route.request().postData();
    if (sent === null) await slow.promise;
    if (sent?.includes('older')) await late.promise;
    return route.continue();
  });
  const address = await signInUrlOf(example.app);
  const isPost = (response: Response) => response.request().method() === 'POST';
  await page.goto(address.replace(/#.*/, '#code=older'));
  await page.getByText('Signing you in…').waitFor();
  await Promise.all([page.waitForResponse(isPost), page.goto(address)]);
  // the press of a button would count again by now
  await page.clock.runFor(1_000);
  expect(await page.getByLabel('Password').count()).toBe(0);
  slow.resolve();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const [answer] = await Promise.all([page.waitForResponse(isPost), late.resolve()]);
  await answer.finished();
  await page.clock.runFor(1_000);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview');
  expect(await page.getByRole('alert').count()).toBe(0);
  await context.close();
});

it('can be tried again when its address got no answer', async () => {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '10.0.97.1' } });
  await keepIntercepting(context);
  const page = await context.newPage();
  await page.route('**/api/session', (route) => route.abort());
  await page.goto(await signInUrlOf(example.app));
  await page.getByRole('alert').getByText('The server does not answer.').waitFor();
  await page.unroute('**/api/session');
  await page.getByRole('button', { name: 'Try the address again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  // the session ends, and the page is of the version before an upgrade
  await page.goto(`${example.app.url}/dashboard/sales`);
  await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
  await context.clearCookies();
  await page.route('**/assets/sign-in-*', (route) => route.fulfill({ status: 404 }));
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('A part of the dashboard could not be loaded').waitFor();
  await page.unroute('**/assets/sign-in-*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('Password').waitFor();
  await context.close();
});

it('works where the browser stores nothing for the page, and gives it no clipboard', async () => {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '10.0.96.1' } });
  await context.addInitScript(`
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });
    Object.defineProperty(navigator, 'clipboard', { value: undefined });`);
  const page = await context.newPage();
  await page.goto(await signInUrlOf(example.app));
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('radio', { name: 'Dark theme' }).check({ force: true });
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  await page.getByRole('link', { name: 'Sales', exact: true }).click();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Select the text and copy it' }).waitFor();
  await context.close();
});

it('says so when the browser does not keep the session, as over plain http', async () => {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '10.0.95.1' } });
  const page = await context.newPage();
  await page.route('**/api/session', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ json: { operator: { id: 'opr_1' } } }) : route.continue(),
  );
  await page.goto(`${example.app.url}/dashboard/sales?period=7d`);
  await page.getByLabel('E-mail address').fill('olga@example.com');
  await page.getByLabel('Password').fill('long enough');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('your browser did not keep the session').waitFor();
  expect(new URL(page.url()).searchParams.get('return')).toBe('/sales?period=7d');
  await context.close();
});

it('of another account, in another tab, changes what this one shows', async () => {
  const { service, addAccount, call, url } = example.app;
  await call('POST', '/api/partners', { body: { name: 'Pia Partner', email: 'pia@example.com' } });
  const { accountId, apiKey } = await addAccount('Other Ltd');
  await call('POST', '/api/partners', { body: { name: 'Otto Other', email: 'otto@example.com' }, key: apiKey });
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '10.0.98.1' } });
  const [page, other] = [await context.newPage(), await context.newPage()];
  await page.goto(await signInUrlOf(example.app));
  await page.getByRole('link', { name: 'Partners', exact: true }).click();
  await page.getByText('Pia Partner').waitFor();
  await other.goto(await signInUrlOf({ service, accountId }));
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('Pia Partner').waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${url}/dashboard/partners`);
  // also if the sign-in page was shown meanwhile, from the first moment
  await page.getByText('Otto Other').waitFor();
  await context.clearCookies();
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByLabel('Password').waitFor();
  await other.goto(await signInUrlOf(example.app));
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/partners?*', (route) => released.then(() => route.continue()));
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('heading', { level: 1, name: 'Partners' }).waitFor();
  expect(await page.getByText('Otto Other').count()).toBe(0);
  release();
  await page.getByText('Pia Partner').waitFor();
  await context.close();
});

it('ends without a page that Back could show', async () => {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '10.0.97.1' } });
  const page = await context.newPage();
  await page.goto(await signInUrlOf(example.app));
  await page.getByRole('link', { name: 'Partners', exact: true }).click();
  await page.getByText('Pia Partner').waitFor();
  await page.getByText('Pia Partner').click();
  await page.route('**/portal-link', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'CONFLICT', message: 'Only for the first one.' } } }),
  );
  await page.getByRole('button', { name: 'Create a link to the portal' }).click();
  await page.getByText('Only for the first one.').waitFor();
  await page.getByRole('link', { name: 'Partners', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect.poll(() => page.evaluate("performance.getEntriesByType('navigation')[0]?.type")).toBe('reload');
  await page.getByLabel('Password').waitFor();
  // a page that is left for another one would stay as it was, as browsers keep it for Back
  expect(await page.evaluate("performance.getEntriesByType('navigation')[0].name")).toBe(
    `${example.app.url}/dashboard/sign-in`,
  );
  expect(await page.getByText(/Pia Partner|Only for the first one/).count()).toBe(0);
  await page.goBack();
  await expect.poll(() => page.url()).toBe(`${example.app.url}/dashboard/sign-in?return=%2Fpartners`);
  expect(await page.getByText('Pia Partner').count()).toBe(0);
  await context.close();
});
