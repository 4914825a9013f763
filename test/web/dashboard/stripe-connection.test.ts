import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperator } from '../../helpers/operators.ts';
import { STRIPE_KEY, STRIPE_PLATFORM } from '../../helpers/stripe-connect.ts';
import { StripePlatform } from '../../helpers/stripe-connect-objects.ts';
import { accessibilityProblems, resize } from '../reference/visit.ts';
import { auditOf } from './list-scene.ts';
import { createStripeScene, type StripeScene } from './stripe-scene.ts';

const OTHER_KEY = 'sk_live_platform2';

let scene: StripeScene;
let page: Page;
let button: StripeScene['button'];
let shown: StripeScene['shown'];

beforeAll(async () => {
  scene = await createStripeScene();
  ({ page, button, shown } = scene);
  scene.stripe.keys.set(OTHER_KEY, new StripePlatform('acct_platform2'));
});
afterAll(() => scene.close());

const key = () => page.getByLabel('Secret or restricted key');
const section = () => page.getByRole('region', { name: 'Payouts by Stripe' });
const railOf = async () => (await scene.app.call('GET', '/api/rails')).body.data.at(-1).connection;
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

/** Has the page's next key checked by the local Stripe. */
async function askLocalStripe(): Promise<void> {
  await page.unrouteAll();
  await page.route('**/api/rails/stripe/connection', (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    return route.continue({ postData: { ...route.request().postDataJSON(), apiUrl: scene.stripe.url } });
  });
}

describe('the connection with Stripe', () => {
  it('is made with a key that is refused at its field, and never shown again', async () => {
    await askLocalStripe();
    await scene.show('/connections');
    await button('Connect Stripe').click();
    expect(await key().getAttribute('type')).toBe('password');
    await shown('Create restricted key');
    expect(await auditOf(page, ['color-contrast', 'label', 'button-name'])).toEqual([]);
    for (const [text, problem] of [
      ['whsec_of_the_endpoint', /^Must be a secret or restricted key/],
      ['sk_test_unknown', /Invalid API Key provided/],
    ] as const) {
      await key().fill(text);
      await inDialog('Connect').click();
      await page.getByRole('dialog').getByText(problem).first().waitFor();
      expect(await key().getAttribute('aria-invalid')).toBe('true');
      expect(await key().inputValue()).toBe(text);
    }
    await key().fill(` ${STRIPE_KEY} `);
    await inDialog('Connect').click();
    await section().getByText('Aurora').waitFor();
    await section().getByText('Test mode').waitFor();
    await section().getByText('No real money moves').waitFor();
    await section().getByText(STRIPE_PLATFORM).waitFor();
    expect(await page.locator('dialog').count()).toBe(0);
    expect(await page.content()).not.toContain(STRIPE_KEY);
    expect((await scene.app.call('GET', '/api/audit-log')).text).not.toContain(STRIPE_KEY);
    expect(await auditOf(page)).toEqual([]);
  });

  it('gets another key, but not that of another account while a payout is being sent, and keeps its address', async () => {
    const { apiUrl } = await railOf();
    await page.unrouteAll();
    const id = await scene.newPayout('Ana');
    await scene.app.call('POST', `/api/payouts/${id}/send`);
    await scene.show('/connections');
    await button('Replace the key').click();
    await key().fill(OTHER_KEY);
    await inDialog('Replace the key').click();
    await page.getByRole('dialog').getByText(`Payout ${id} is being sent`).first().waitFor();
    expect(await key().getAttribute('aria-invalid')).toBe('true');
    expect(await railOf()).toMatchObject({ platformId: STRIPE_PLATFORM, mode: 'test' });
    await scene.work();
    await inDialog('Replace the key').click();
    await section().getByText('acct_platform2').waitFor();
    await section().getByText('Live', { exact: true }).waitFor();
    expect(await section().getByText('No real money').count()).toBe(0);
    expect(await railOf()).toMatchObject({ platformId: 'acct_platform2', mode: 'live', apiUrl });
    // closed, it returns the focus
    await button('Replace the key').press('Enter');
    await key().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Replace the key');
  });

  it('ends after a question, and not while a payout is being sent', async () => {
    await scene.connect();
    const id = await scene.newPayout('Ben');
    await scene.app.call('POST', `/api/payouts/${id}/send`);
    await scene.show('/connections');
    await button('Disconnect').click();
    expect(await railOf()).not.toBeNull();
    await button('Disconnect Stripe?').click();
    await shown(`Payout ${id} is being sent`);
    await scene.work();
    await button('Disconnect').click();
    await button('Disconnect Stripe?').click();
    await button('Connect Stripe').waitFor();
    expect(await railOf()).toBeNull();
  });

  it('opens at an address of its own, and fits a narrow phone with the longest name', async () => {
    await scene.show('/connections?connect=stripe');
    await key().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).not.toContain('connect=stripe');
    scene.stripe.platform.account.settings.dashboard.display_name = 'w'.repeat(255);
    await scene.connect();
    await page.reload();
    await section().getByText('www').waitFor();
    await resize(page, 320);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await resize(page, 1440);
  });

  it('is shown to a viewer, who is offered nothing', async () => {
    const { cookie } = await createOperator(scene.app, 'viewer');
    const [name = '', value = ''] = cookie.split('=');
    const context = await scene.browser.newContext({ locale: 'en-US' });
    await context.addCookies([{ name, value, url: scene.app.url }]);
    const others = await context.newPage();
    await others.goto(`${scene.app.url}/dashboard/connections?connect=stripe`);
    await others.getByText(STRIPE_PLATFORM).waitFor();
    expect(await others.getByRole('button', { name: /key$|^Disconnect|^Connect/ }).count()).toBe(0);
    expect(await others.locator('dialog').count()).toBe(0);
    expect(await accessibilityProblems(others)).toEqual([]);
    const id = await scene.newPayout('Cleo');
    await others.goto(`${scene.app.url}/dashboard/payouts/${id}`);
    await others.getByRole('region', { name: 'Payout', exact: true }).getByText('Cleo').waitFor();
    expect(await others.getByRole('button', { name: /Send|Mark/ }).count()).toBe(0);
    await context.close();
  });

  it('causes no error in the browser', () => {
    expect(scene.problems).toEqual([]);
  });
});
