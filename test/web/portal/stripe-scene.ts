import type { BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { expect } from 'vitest';
import { unique } from '../../helpers/story.ts';
import { STRIPE_KEY, type StripeConnect, startStripeConnect } from '../../helpers/stripe-connect.ts';
import { allLoaded, createScene, type Scene } from './scene.ts';

/** A scene whose service is connected with a stand-in for Stripe. */
export interface StripeScene extends Scene {
  stripe: StripeConnect;
  connect(): Promise<void>;
  newPartner(): Promise<Partner>;
  /** The portal alone in a tab. */
  open(token: string, lang?: string, options?: BrowserContextOptions): Promise<Page>;
}

interface Partner {
  token: string;
  /** The partner's account at Stripe. */
  account(): string;
  /** Opens one without the portal. */
  haveAccount(): Promise<string>;
}

export async function createStripeScene(): Promise<StripeScene> {
  const [scene, stripe] = await Promise.all([createScene(), startStripeConnect()]);
  const connect = async () => {
    const body = { secretKey: STRIPE_KEY, apiUrl: stripe.url };
    expect((await scene.app.call('PUT', '/api/rails/stripe/connection', { body })).status).toBe(200);
  };
  await connect();
  return {
    ...scene,
    stripe,
    connect,
    newPartner: () => newPartner(scene, stripe),
    async open(token, lang = 'en', options = {}) {
      const context = await scene.browser.newContext(options);
      await playStripe(context);
      const page = await context.newPage();
      await page.goto(scene.frameUrl(token, { lang }));
      await allLoaded(page);
      return page;
    },
    async close() {
      await scene.close();
      await stripe.close();
    },
  };
}

async function newPartner({ app, tokenFor }: Scene, { accounts }: StripeConnect): Promise<Partner> {
  const email = `${unique('nora')}@example.com`;
  const token = await tokenFor({ partner: { email, name: 'Nora New' } });
  const account = () => {
    const found = [...accounts.values()].find((one) => one.email === email);
    if (found === undefined) throw new Error(`Stripe has no account of ${email}`);
    return found.id;
  };
  const haveAccount = async () => {
    const path = '/api/embed/referrals/payout-onboarding';
    const { status } = await app.call('POST', path, { key: token, body: { rail: 'stripe', country: 'DE' } });
    expect(status).toBe(200);
    return account();
  };
  return { token, account, haveAccount };
}

/** Answers in place of Stripe's own pages, as long as the test runs without the internet. */
export async function playStripe(context: BrowserContext): Promise<void> {
  await context.route('https://connect.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Stripe</title>' }),
  );
}

export const paidBy = (portal: Page | Frame) => portal.locator('section[aria-labelledby="paid-by"]');
export const linkIn = (portal: Page | Frame) => portal.getByRole('link', { name: 'Open Stripe' });
export const buttonIn = (portal: Page | Frame) => portal.getByRole('button', { name: 'Continue at Stripe' });
