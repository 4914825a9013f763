import type { Locator } from 'playwright-core';
import { continueTransfers } from '../../../src/payouts/transfers/work.ts';
import type { TestApp } from '../../helpers/app.ts';
import { payoutsOf, runPayouts } from '../../helpers/earning.ts';
import { createReferrer } from '../../helpers/story.ts';
import { STRIPE_KEY, type StripeConnect, startStripeConnect } from '../../helpers/stripe-connect.ts';
import { createBrowserApp } from './example.ts';
import { openScene, type Scene } from './scene.ts';

/** An owner who looks at payouts, and a Stripe whose answers the test decides. */
export interface StripeScene extends Scene {
  stripe: StripeConnect;
  /** Connects Stripe through the API. */
  connect(secretKey?: string): Promise<void>;
  disconnect(): Promise<unknown>;
  /** A partner who is paid by Stripe; returns the ids of the partner and of the account. */
  newPartner(name: string): Promise<{ partnerId: string; account: string }>;
  /** A payout of $20.00 that is to be paid to a new partner; returns its id. */
  newPayout(name: string): Promise<string>;
  /** Asks Stripe about what is due, as the server does in the background. */
  work(): Promise<number>;
  /** Lets time pass, so that what waits for another attempt is due. */
  passTime(minutes: number): void;
  payout(id: string): Promise<{ status: string; transfer: { status: string; transferId: string | null } | null }>;
  button(name: string): Locator;
  /** Waits for a text. */
  shown(text: string | RegExp): Promise<void>;
}

export async function createStripeScene(): Promise<StripeScene> {
  const [example, stripe] = await Promise.all([createBrowserApp(), startStripeConnect()]);
  const { app, clock } = example;
  stripe.date = () => new Date(app.service.clock()).toUTCString();
  const scene = await openScene(example);
  const { page } = scene;
  const newPartner = (name: string) => partnerPaidBy(app, stripe, name);
  return {
    ...scene,
    stripe,
    async connect(secretKey = STRIPE_KEY) {
      const body = { secretKey, apiUrl: stripe.url };
      const answer = await app.call('PUT', '/api/rails/stripe/connection', { body });
      if (answer.status !== 200) throw new Error(`Not connected: ${answer.text}`);
    },
    disconnect: () => app.call('DELETE', '/api/rails/stripe/connection'),
    newPartner,
    async newPayout(name) {
      const { partnerId } = await newPartner(name);
      return payoutOf(app, partnerId);
    },
    work: () => continueTransfers(app.service),
    passTime(minutes) {
      clock.now = (clock.now || Date.now()) + minutes * 60_000;
    },
    payout: async (id) => (await app.call('GET', `/api/payouts/${id}`)).body,
    button: (name) => page.getByRole('button', { name, exact: true }),
    shown: (text) => page.getByText(text).first().waitFor(),
    async close() {
      await scene.close();
      await stripe.close();
    },
  };
}

async function partnerPaidBy(app: TestApp, stripe: StripeConnect, name: string) {
  const { partnerId } = await createReferrer(app, { name });
  const { id: account } = stripe.platform.addAccount();
  const body = { rail: 'stripe', account };
  const answer = await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
  if (answer.status !== 200) throw new Error(`Not paid by Stripe: ${answer.text}`);
  return { partnerId, account };
}

async function payoutOf(app: TestApp, partnerId: string): Promise<string> {
  const body = { partnerId, amount: 2_000, currency: 'usd', reason: 'For the example' };
  await app.call('POST', '/api/adjustments', { body });
  await runPayouts(app);
  const [payout] = await payoutsOf(app, partnerId, 'processing');
  return payout.id;
}
