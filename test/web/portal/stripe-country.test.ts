import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STRIPE_KEY } from '../../helpers/stripe-connect.ts';
import { StripePlatform } from '../../helpers/stripe-connect-objects.ts';
import { buttonIn, createStripeScene, linkIn, paidBy, type StripeScene } from './stripe-scene.ts';

const OTHER_KEY = 'sk_test_platform2';

let scene: StripeScene;
let other: StripePlatform;
beforeAll(async () => {
  scene = await createStripeScene();
  other = new StripePlatform('acct_platform2');
  scene.stripe.keys.set(OTHER_KEY, other);
});
afterAll(() => scene.close());

async function connectWith(secretKey: string): Promise<void> {
  const body = { secretKey, apiUrl: scene.stripe.url };
  expect((await scene.app.call('PUT', '/api/rails/stripe/connection', { body })).status).toBe(200);
}

/** The account that the open link leads to. */
async function accountBehind(page: Page, { links }: StripePlatform): Promise<string | undefined> {
  return links.get((await linkIn(page).getAttribute('href')) ?? '');
}

async function chooseCountry(page: Page, label: string): Promise<void> {
  await page.getByLabel('Country').selectOption({ label });
  await buttonIn(page).click();
  await linkIn(page).waitFor();
}

describe('the country of a partner whom Stripe pays', () => {
  it('can be corrected by the partner, who then signs up for another account', async () => {
    const { token, haveAccount } = await scene.newPartner();
    const first = await haveAccount();
    const page = await scene.open(token);
    const change = () => page.getByRole('button', { name: 'Change' }).click();
    await change();
    await page.getByRole('radio', { name: 'Stripe', checked: true }).waitFor();
    // the same one as before
    await chooseCountry(page, 'Germany');
    expect(await accountBehind(page, scene.stripe.platform)).toBe(first);
    await change();
    await chooseCountry(page, 'Austria');
    const second = await accountBehind(page, scene.stripe.platform);
    expect(scene.stripe.accounts.get(second ?? '')?.country).toBe('AT');
    expect(second).not.toBe(first);
    await paidBy(page)
      .getByText(`acct_…${second?.slice(-4)}`)
      .waitFor();
    await page.context().close();
  });

  it('is asked for again after another Stripe account was connected, as the partner has none there', async () => {
    const { token, haveAccount } = await scene.newPartner();
    await haveAccount();
    await connectWith(OTHER_KEY);
    const page = await scene.open(token);
    await page.getByText('Stripe cannot pay you yet').waitFor();
    await buttonIn(page).click();
    await page.getByRole('radio', { name: 'Stripe', checked: true }).waitFor();
    expect([await page.getByLabel('Country').inputValue(), other.accounts.size]).toEqual(['', 0]);
    await chooseCountry(page, 'Germany');
    const account = await accountBehind(page, other);
    expect(other.accounts.get(account ?? '')?.country).toBe('DE');
    await connectWith(STRIPE_KEY);
    await page.context().close();
  });
});
