import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPerformance } from '../../../src/cli/demo/performance.ts';
import type { Stage } from '../../../src/cli/demo/stage.ts';
import { launchChromium } from '../../helpers/chromium.ts';
import { invite } from '../../helpers/operators.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './example.ts';
import { type Visit, visitDashboard } from './visit.ts';

const DAY_MS = 86_400_000;
const SECRET = 'whsec_firsthourofanoperator';

let example: BrowserApp;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  [example, browser] = await Promise.all([createBrowserApp(), launchChromium()]);
  visit = await visitDashboard(browser, await signInUrlOf(example.app));
});
afterAll(async () => {
  await browser.close();
  await example.app.close();
});

const go = (path: string) => visit.page.goto(`${example.app.url}/dashboard${path}`);
const named = (name: string) => visit.page.getByRole('button', { name, exact: true });

describe('an operator', { timeout: 60_000 }, () => {
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

  it('enrolls a partner and makes a link', async () => {
    const { page } = visit;
    await example.app.call('POST', '/api/partners', { body: { name: 'Zoe', email: 'zoe@example.com' } });
    await go('/partners');
    await named('New partner').click();
    await page.getByLabel('Name', { exact: true }).fill('Ana');
    await page.getByLabel('E-mail address').fill('zoe@example.com');
    await named('Enroll the partner').click();
    // what was typed stays beside what is wrong with it
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ana');
    await page.getByLabel('E-mail address').fill('ana@example.com');
    await named('Enroll the partner').click();
    await named('New link').click();
    await page.getByLabel('Leads to').fill('https://shop.example.com/');
    await page.getByLabel('Key').fill('ana');
    await named('Make the link').click();
    await page.getByRole('region', { name: 'Partner' }).getByText('/ana').waitFor();
  });

  it('connects Stripe in steps, and sees its delivery arrive by itself', async () => {
    const { page } = visit;
    await go('/connections');
    await named('Connect a processor').click();
    await named('Make its address').click();
    const detail = page.getByRole('region', { name: 'Connection', exact: true });
    const url = (await detail.getByText(/\/webhooks\/stripe\/whe_\w+$/).textContent()) ?? '';
    await detail.getByText('every delivery is refused').waitFor();
    await page.getByLabel('Secret', { exact: true }).fill(SECRET);
    await named('Set it').click();
    await detail.getByText('Waiting…').waitFor();
    await go('/deliveries');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('No delivery yet').waitFor();
    await sell(url);
    await page.getByRole('row', { name: /invoice\.paid/ }).waitFor();
  });

  it('opens the sale of a delivery, which tells why it is that partner’s', async () => {
    const { page } = visit;
    await page
      .getByRole('row', { name: /invoice\.paid/ })
      .getByRole('link')
      .click();
    await named('Explain').click();
    await page.getByText('It would become').waitFor();
    await page.getByRole('link', { name: 'Open its sale' }).click();
    const sale = page.getByRole('region', { name: 'Sale', exact: true });
    await sale.getByText('Why this partner').waitFor();
    expect(await sale.getByRole('listitem').first().textContent()).toContain('Your id of the customer');
    expect(await sale.textContent()).toContain('$8.82');
    expect(await sale.getByRole('link', { name: 'Ana' }).count()).toBeGreaterThan(0);
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
    const payout = page.getByRole('region', { name: 'Payout', exact: true });
    await payout.getByText('Paid', { exact: true }).first().waitFor();
    await payout.getByText('Bank transfer 1').waitFor();
    const { body } = await example.app.call('GET', '/api/payouts?status=paid');
    expect(body.data).toMatchObject([{ amount: 882, currency: 'usd', note: 'Bank transfer 1' }]);
  });

  it('sets a password, signs out, and comes back to the page that asked to sign in', async () => {
    const { page } = visit;
    await go('/settings?tab=you');
    await page.getByLabel('New password').fill('correct horse battery');
    await named('Save').click();
    await page.getByText('Saved.').waitFor();
    await named('Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await go('/sales?status=pending');
    await page.getByLabel('E-mail address').fill('olga@example.com');
    await page.getByLabel('Password').fill('wrong');
    await named('Sign in').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('olga@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await named('Sign in').click();
    await page.getByRole('heading', { name: 'Sales' }).waitFor();
    expect(page.url()).toBe(`${example.app.url}/dashboard/sales?status=pending`);
    expect(visit.problems).toEqual([]);
  });

  it('who is a viewer sees everything and changes nothing', async () => {
    const { code } = await invite(example.app, 'viewer');
    const { page, problems, leave } = await visitDashboard(
      browser,
      `${example.app.url}/dashboard/sign-in#code=${code}`,
    );
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${example.app.url}/dashboard/partners`);
    await page
      .getByRole('row', { name: /ana@example\.com/ })
      .getByRole('link')
      .click();
    await page.getByRole('region', { name: 'Partner' }).getByText('Earnings').waitFor();
    for (const name of ['New partner', 'Change', 'New link', 'Make a link to the portal']) {
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    }
    const status = await page.evaluate(
      `fetch('/api/partners', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Eve","email":"eve@example.com"}' }).then((answer) => answer.status)`,
    );
    expect(status).toBe(403);
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
