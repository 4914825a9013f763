import { readFileSync } from 'node:fs';
import type { Browser, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPerformance } from '../../../src/cli/demo/performance.ts';
import type { Stage } from '../../../src/cli/demo/stage.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { startOpenIdProvider, type TestProvider } from '../../helpers/open-id-provider.ts';
import { invite } from '../../helpers/operators.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './example.ts';
import { type Visit, visitDashboard } from './visit.ts';

const DAY_MS = 86_400_000;
const SECRET = 'whsec_firsthourofanoperator';

let provider: TestProvider;
let example: BrowserApp;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  provider = await startOpenIdProvider('localhost');
  const { settings: singleSignOn } = provider;
  [example, browser] = await Promise.all([createBrowserApp({ singleSignOn }), sharedChromium()]);
  visit = await visitDashboard(browser, await signInUrlOf(example.app));
});
afterAll(async () => {
  await closePages(browser);
  await example.app.close();
  await provider.close();
});

const go = (path: string) => visit.page.goto(`${example.app.url}/dashboard${path}`);
const isSignOut = (response: Response) => response.request().method() === 'DELETE';
const named = (name: string) => visit.page.getByRole('button', { name, exact: true });

describe('an operator', () => {
  it('signs in by an address that works once, and whose code leaves the address bar', async () => {
    const { page } = visit;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${example.app.url}/dashboard/`);
    const { code } = await invite(example.app, 'member');
    const address = `${example.app.url}/dashboard/sign-in#code=${code}`;
    const first = await visitDashboard(browser, address);
    await first.page.getByRole('heading', { name: 'Overview' }).waitFor();
    const second = await visitDashboard(browser, address);
    expect(await second.page.getByRole('alert').textContent()).toContain('was used');
    await first.leave();
    await second.leave();
  });

  it('enrolls a partner and creates a link', async () => {
    const { page } = visit;
    await example.app.call('POST', '/api/partners', { body: { name: 'Zoe', email: 'zoe@example.com' } });
    await go('/partners');
    await named('New partner').click();
    await page.getByLabel('Name', { exact: true }).fill('Ana');
    await page.getByLabel('E-mail address').fill('zoe@example.com');
    await named('Enroll the partner').click();
    // the typed text stays next to the error
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ana');
    await page.getByLabel('E-mail address').fill('ana@example.com');
    await named('Enroll the partner').click();
    await named('New link').click();
    await page.getByLabel('Leads to').fill('https://shop.example.com/');
    await page.getByLabel('Key').fill('ana');
    await named('Create the link').click();
    await page.getByRole('region', { name: 'Partner' }).getByText('/ana').waitFor();
  });

  it('connects Stripe in steps, and sees its delivery arrive by itself', async () => {
    const { page } = visit;
    await go('/connections');
    await named('Connect a processor').click();
    await named('Create its address').click();
    const detail = page.getByRole('region', { name: 'Connection', exact: true });
    const url = (await detail.getByText(/\/webhooks\/stripe\/whe_\w+$/).textContent()) ?? '';
    await detail.getByText('every delivery is refused').waitFor();
    await page.getByLabel('Secret', { exact: true }).fill(SECRET);
    await named('Set it').click();
    await detail.getByText('Waiting…').waitFor();
    // signed for another destination: the waiting step shows what is wrong
    const headers = { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` };
    const refused = await fetch(url, { method: 'POST', headers, body: '{"id":"evt_1","type":"invoice.paid"}' });
    expect(refused.status).toBe(401);
    await detail.getByText('Its signature did not match').waitFor();
    await detail.getByText('Copy the secret again').waitFor();
    await go('/deliveries');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('No delivery yet').waitFor();
    await sell(url);
    await page.getByRole('row', { name: /invoice\.paid/ }).waitFor();
  });

  it('opens the sale of a delivery, which explains why it is that partner’s', async () => {
    const { page } = visit;
    await page
      .getByRole('row', { name: /invoice\.paid/ })
      .getByRole('link')
      .click();
    const asked = page.waitForRequest((request) => request.url().endsWith('/api/explain'));
    await named('Explain').click();
    // with the settings of its endpoint
    expect((await asked).postDataJSON()).toMatchObject({ endpointId: expect.stringMatching(/^whe_/), asNew: true });
    await page.getByText('It would become').waitFor();
    await page.getByRole('link', { name: 'Open its sale' }).click();
    const sale = page.getByRole('region', { name: 'Sale', exact: true });
    await sale.getByText('Why this partner').waitFor();
    expect(await sale.getByRole('listitem').first().textContent()).toContain('Your id of the customer');
    expect(await sale.textContent()).toContain('$8.82');
    // and back to the delivery that created it
    await sale.getByRole('link', { name: 'invoice.paid' }).click();
    await page.getByRole('region', { name: 'Delivery', exact: true }).getByText('What it says').waitFor();
    await page.goBack();
    expect(await sale.getByRole('link', { name: 'Ana' }).count()).toBeGreaterThan(0);
  });

  it('finds any partner by name, with the keyboard alone', async () => {
    const { page } = visit;
    for (let n = 0; n < 110; n += 1) {
      const body = { name: `Crowd ${n}`, email: `crowd-${n}@example.com` };
      await example.app.call('POST', '/api/partners', { body });
    }
    await go('/ledger');
    await named('Adjustment').click();
    const field = page.getByRole('combobox', { name: 'Partner' });
    await field.focus();
    await page.keyboard.type('an');
    await page.getByRole('option', { name: /ana@example\.com/ }).waitFor();
    // accepts a word of an input method
    const debug = await page.context().newCDPSession(page);
    await debug.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', windowsVirtualKeyCode: 229 });
    expect(await field.inputValue()).toBe('an');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('Ana');
    await page.keyboard.type('zzz');
    await page.getByText("No partner's name or e-mail address starts like this.").waitFor();
    await page.keyboard.press('Escape');
    // the dialog is still open, and the choice unchanged
    await expect.poll(() => field.inputValue()).toBe('Ana');
    await page.getByLabel('Amount').fill('1.25');
    await page.getByLabel('Reason').fill('A mistake');
    await named('Add the adjustment').click();
    await page.getByRole('row', { name: /Ana.*\$1\.25/ }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toBe('ledger.csv');
    const { body } = await example.app.call('GET', '/api/ledger?kind=adjustment');
    await example.app.call('POST', '/api/adjustments', {
      body: { partnerId: body.data[0].partnerId, amount: -125, currency: 'usd', reason: 'It was none' },
    });
  });

  it('runs the payouts that are due, and marks one as paid', async () => {
    const { page } = visit;
    await go('/payouts');
    await named('Run payouts').click();
    await named('Start 1 payout').click();
    await page
      .getByRole('row', { name: /To be paid/ })
      .getByRole('link')
      .click();
    await page.getByLabel('Note').fill('Bank transfer 1');
    await named('Mark as paid').click();
    await named('Did the money arrive?').click();
    const payout = page.getByRole('region', { name: 'Payout', exact: true });
    await payout.getByText('Paid', { exact: true }).first().waitFor();
    await payout.getByText('Bank transfer 1').waitFor();
    const { body } = await example.app.call('GET', '/api/payouts?status=paid');
    expect(body.data).toMatchObject([{ amount: 882, currency: 'usd', note: 'Bank transfer 1' }]);
  });

  it('makes a payout file, says that all of it was paid, and opens a statement to print', async () => {
    const { page } = visit;
    const { call } = example.app;
    const { body: partners } = await call('GET', '/api/partners?search=ana');
    const [{ id: partnerId }] = partners.data;
    await call('PUT', `/api/partners/${partnerId}/payout-details`, {
      body: { rail: 'paypal', email: 'ana@example.com' },
    });
    await call('POST', '/api/adjustments', { body: { partnerId, amount: 1_500, currency: 'usd', reason: 'A bonus' } });
    await call('POST', '/api/payouts/run');
    await go('/payout-files');
    await page.getByText('No file yet').waitFor();
    await named('Create a file').click();
    // a bank's file needs to know who pays
    expect(await page.getByLabel('Your IBAN').isVisible()).toBe(true);
    await page.getByLabel('For', { exact: true }).selectOption('PayPal');
    await named('Create the file').click();
    await page.getByText('1 payout, together $15.00.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^ana@example\.com,15\.00,USD,P\w{25},/);
    await page.getByRole('link', { name: 'Show it' }).click();
    const file = page.getByRole('region', { name: 'Payout file', exact: true });
    await file.getByText('To be paid').waitFor();
    await named('Record what was paid').click();
    await named('All were paid').click();
    await page.getByText('1 paid, 0 failed.').waitFor();
    await named('Done').click();
    await file.getByText('Paid', { exact: true }).waitFor();
    await file.getByRole('link', { name: 'Ana' }).click();
    const [statement] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Open to print' }).click(),
    ]);
    await statement.getByRole('heading', { name: 'Payout statement' }).waitFor();
    expect(await statement.getByRole('row', { name: /Adjustment: A bonus/ }).textContent()).toContain('15.00');
    expect(await statement.evaluate('getComputedStyle(document.querySelector("main")).maxWidth')).toBe('832px');
    await statement.close();
  });

  it('chooses which events its own systems receive, with clicks off by default', async () => {
    const { page } = visit;
    await go('/connections');
    await named('Add an endpoint').click();
    await page.getByLabel('URL').fill('https://hooks.example.com/refbridge');
    expect(await page.getByLabel('click.created').isChecked()).toBe(false);
    await named('None').click();
    expect(await named('Add the endpoint').isDisabled()).toBe(true);
    await page.getByLabel('sale.created').check();
    await page.getByLabel('payout.paid').check();
    await named('Add the endpoint').click();
    await page.getByText(/^whsec_/).waitFor();
    await named('Done').click();
    await page.getByRole('link', { name: 'hooks.example.com/refbridge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Outgoing webhook' });
    await dialog.getByText('sale.created, payout.paid').waitFor();
    await named('Change').click();
    await dialog.getByLabel('payout.paid').uncheck();
    await dialog.getByLabel('Description').fill('The CRM');
    await named('Save').click();
    await dialog.getByText('The CRM').waitFor();
    await named('Send a period again').click();
    await named('Send them again').click();
    await page.getByText('0 events will be sent again').waitFor();
    const { body } = await example.app.call('GET', '/api/event-endpoints');
    expect(body.data).toMatchObject([{ types: ['sale.created'], description: 'The CRM', enabled: true }]);
    await example.app.call('POST', `/api/event-endpoints/${body.data[0].id}/test`);
    await dialog.getByText('event_endpoint.test').waitFor();
    await example.app.call('PATCH', `/api/event-endpoints/${body.data[0].id}`, { body: { enabled: false } });
    await dialog.getByText('Disabled').waitFor();
    await page.keyboard.press('Escape');
  });

  it('makes a viewer a member', async () => {
    const { page } = visit;
    const { email } = await invite(example.app, 'viewer');
    await go('/settings?tab=operators');
    const row = page.getByRole('row', { name: email });
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Role').selectOption('member');
    await named('Save').click();
    await row.getByText('Member').waitFor();
  });

  it('sets a password, signs out, and returns to the page that required the sign-in', async () => {
    const { page } = visit;
    await go('/settings?tab=you');
    await page.getByLabel('New password').fill('correct horse battery');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/session', (route) =>
      route.request().method() === 'GET' ? released.then(() => route.continue()) : route.continue(),
    );
    await named('Save').click();
    await page.getByText('Saved.').waitFor();
    // asks nothing, although the page is still being read again
    await Promise.all([page.waitForResponse(isSignOut), named('Sign out').click()]);
    release();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // not before the page has loaded again: while it does, Chromium may never answer this
    await page.unrouteAll();
    await go('/sales?status=pending&search=ana%2Bshop%40example.com');
    await page.getByLabel('E-mail address').fill('olga@example.com');
    await page.getByLabel('Password').fill('wrong');
    await named('Sign in').click();
    await page.getByRole('alert').getByText('do not match').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('olga@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await named('Sign in').click();
    await page.getByRole('heading', { name: 'Sales' }).waitFor();
    expect(page.url()).toBe(`${example.app.url}/dashboard/sales?status=pending&search=ana%2Bshop%40example.com`);
    expect(visit.problems).toEqual([]);
  });

  it('signs in at the OpenID provider, and returns to the page that required it', async () => {
    const { email } = await invite(example.app, 'member');
    const start = `${example.app.url}/dashboard/partners`;
    provider.reset({ sub: 'a-person', email, email_verified: false });
    const { page, problems, leave } = await visitDashboard(browser, start);
    const button = page.getByRole('link', { name: 'Sign in with single sign-on' });
    await button.click();
    await page.getByRole('alert').getByText('does not say that your e-mail address is verified').waitFor();
    provider.reset({ sub: 'a-person', email, email_verified: true });
    await button.click();
    await page.getByRole('heading', { name: 'Partners' }).waitFor();
    expect(page.url()).toBe(start);
    await page.goto(`${example.app.url}/dashboard/settings?tab=sessions`);
    await page
      .getByRole('row', { name: /This one/ })
      .getByText('Single sign-on')
      .waitFor();
    expect(problems).toEqual([]);
    await leave();
  });

  it('keeps the navigation when a page fails, and can return', async () => {
    const { code } = await invite(example.app, 'viewer');
    const address = `${example.app.url}/dashboard/sign-in#code=${code}`;
    const { page, problems, leave } = await visitDashboard(browser, address);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // an answer that the page cannot show; the overview requests fewer sales
    await page.route('**/api/sales?limit=50**', (request) =>
      request.fulfill({ json: { data: [null], nextCursor: null } }),
    );
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Sales' }).click();
    const problem = page.getByRole('region', { name: 'Problem' });
    await problem.getByRole('alert').getByText('the other pages still work').waitFor();
    expect(await problem.textContent()).not.toContain('null');
    await problem.getByRole('button', { name: 'Load the page again' }).click();
    await problem.getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Sales' }).click();
    await problem.waitFor();
    await page.unroute('**/api/sales?limit=50**');
    await problem.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sales' }).waitFor();
    expect(await problem.count()).toBe(0);
    // React and the browser report what was thrown
    expect(problems.filter((text) => !/null|undefined/.test(text))).toEqual([]);
    await leave();
  });

  it('who is a viewer sees everything and changes nothing', async () => {
    const { code } = await invite(example.app, 'viewer');
    const { page, problems, leave } = await visitDashboard(
      browser,
      `${example.app.url}/dashboard/sign-in#code=${code}`,
    );
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${example.app.url}/dashboard/partners?search=ana`);
    await page
      .getByRole('row', { name: /ana@example\.com/ })
      .getByRole('link')
      .click();
    await page.getByRole('region', { name: 'Partner' }).getByText('Earnings').waitFor();
    for (const name of ['New partner', 'Change', 'New link', 'Create a link to the portal', 'End access']) {
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    }
    const status = await page.evaluate(
      `fetch('/api/partners', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Eve","email":"eve@example.com"}' }).then((answer) => answer.status)`,
    );
    expect(status).toBe(403);
    await page.goto(`${example.app.url}/dashboard/payout-files`);
    await page
      .getByRole('row', { name: /\$15\.00/ })
      .getByRole('link')
      .click();
    await page.getByText('only members and owners may download it').waitFor();
    expect(await page.getByRole('link', { name: 'Download' }).count()).toBe(0);
    const download = `(async () => {
      const { data } = await (await fetch('/api/payouts/files')).json();
      return (await fetch('/api/payouts/files/' + data[0].id)).status;
    })()`;
    expect(await page.evaluate(download)).toBe(403);
    expect(problems).toEqual([]);
    await leave();
  });
});

/** Somebody follows Ana's link, signs up, and pays an invoice whose hold is over. */
async function sell(url: string): Promise<void> {
  const { app } = example;
  const targets = { stripe: { processor: 'stripe', url, secrets: { secrets: [SECRET], authorization: null } } };
  const stage = { url: app.url, apiKey: app.apiKey, targets } as unknown as Stage;
  const play = createPerformance(stage, () => {});
  await play.signUp('she signs up', await play.visit('Mara follows the link', 'ana'), 'user_1042');
  const paidAt = Math.floor((Date.now() - 31 * DAY_MS) / 1000);
  const overrides = [`created=${paidAt}`, `data.object.status_transitions.paid_at=${paidAt}`];
  await play.deliver(
    'an invoice is paid',
    { processor: 'stripe', event: 'invoice.paid', variant: 'first', overrides },
    'sale',
  );
  expect(play.steps.map(({ came }) => came)).toEqual(['302', '200', 'sale']);
}
