import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferrer } from '../../helpers/story.ts';
import { auditOf } from './list-scene.ts';
import { createStripeScene, type StripeScene } from './stripe-scene.ts';

let scene: StripeScene;
let page: Page;
let button: StripeScene['button'];
let shown: StripeScene['shown'];

beforeAll(async () => {
  scene = await createStripeScene();
  ({ page, button, shown } = scene);
});
afterAll(() => scene.close());

const partner = () => page.getByRole('region', { name: 'Partner', exact: true });
const detailsOf = async (id: string) => (await scene.app.call('GET', `/api/partners/${id}`)).body.payoutDetails;

/** Opens the form for a partner's payment details, with Stripe chosen. */
async function choose(partnerId: string): Promise<void> {
  await scene.show(`/partners/${partnerId}`);
  await button('Set').click();
  await page.getByLabel('Paid by').selectOption('Stripe');
}

describe('a partner', () => {
  it('cannot be paid by Stripe before it is connected, which the form says', async () => {
    const { partnerId } = await createReferrer(scene.app, { name: 'Nora' });
    await choose(partnerId);
    await shown('Stripe is not connected');
    expect(
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Save|Create/ })
        .count(),
    ).toBe(0);
    expect(await auditOf(page, ['color-contrast', 'select-name', 'link-name'])).toEqual([]);
    await page.getByRole('link', { name: 'connect it' }).click();
    await page.getByRole('dialog', { name: 'Connect Stripe to send payouts' }).waitFor();
  });

  it('gets a link to sign up at Stripe, which is shown once, and is paid by Stripe from then on', async () => {
    await scene.connect();
    const { partnerId } = await createReferrer(scene.app, { name: 'Petra' });
    await choose(partnerId);
    await page.getByLabel('Country').fill('d1');
    await button('Create a link').click();
    await expect.poll(() => page.getByLabel('Country').getAttribute('aria-invalid')).toBe('true');
    expect(await auditOf(page, ['color-contrast', 'label'])).toEqual([]);
    await page.getByLabel('Country').fill('de');
    await button('Create a link').click();
    await shown('Send it to Petra now: it works once');
    const [url = ''] = [...scene.stripe.platform.links.keys()];
    const dialog = page.getByRole('dialog');
    await dialog.getByText(url).waitFor();
    expect([...scene.stripe.accounts.values()].at(-1)).toMatchObject({ country: 'DE' });
    await page.keyboard.press('Escape');
    await dialog.getByText('The link is not shown again.').waitFor();
    await button('Keep it open').click();
    await button('Done').click();
    await expect.poll(async () => (await detailsOf(partnerId)).rail).toBe('stripe');
    await partner()
      .getByText((await detailsOf(partnerId)).account)
      .waitFor();
    await button('Check with Stripe').click();
    await shown('has not finished signing up at Stripe');
    expect(await auditOf(page)).toEqual([]);
    await button('Create a sign-up link').click();
    await shown('Send it to Petra now');
    expect(scene.stripe.accounts.size).toBe(1);
    scene.stripe.platform.finishOnboarding([...scene.stripe.accounts.keys()][0] ?? '');
    await button('Check with Stripe').click();
    await shown('Stripe would pay this partner now.');
  });

  it('can be paid to an account that exists', async () => {
    const { id: account } = scene.stripe.platform.addAccount();
    const { partnerId } = await createReferrer(scene.app, { name: 'Ada' });
    await choose(partnerId);
    await page.getByLabel('They have an account').check();
    const field = page.getByLabel('Stripe account');
    await field.fill('ada@example.com');
    await button('Save').click();
    await page.getByRole('dialog').getByText('Must be the id of a connected account').first().waitFor();
    await field.fill(account);
    await button('Save').click();
    await partner()
      .getByText(`acct_…${account.slice(-4)}`)
      .waitFor();
    expect(await page.content()).not.toContain(account);
    await partner().getByRole('button', { name: 'Change' }).last().click();
    // another one, or another way
    await field.waitFor();
    await page.getByLabel('Paid by').selectOption('PayPal');
    await page.getByLabel('E-mail address').waitFor();
    await page.keyboard.press('Escape');
    await scene.disconnect();
    await page.reload();
    await partner().getByText('Stripe is not connected').waitFor();
    expect(await button('Check with Stripe').count()).toBe(0);
  });

  it('causes no error in the browser', () => {
    expect(scene.problems).toEqual([]);
  });
});
