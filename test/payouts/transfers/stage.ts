import { continueTransfers } from '../../../src/payouts/transfers/work.ts';
import { type Answer, createTestApp, type TestApp } from '../../helpers/app.ts';
import type { Engine } from '../../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../../helpers/earning.ts';
import { createReferrer, type Referrer, unique } from '../../helpers/story.ts';
import { FAULTS, STRIPE_KEY, type StripeConnect, startStripeConnect } from '../../helpers/stripe-connect.ts';
import type { StripeTransfer } from '../../helpers/stripe-connect-objects.ts';

export const HOUR_MS = 3_600_000;
/** The requests that order a transfer, and that look for one. */
export const CREATE = 'POST /v1/transfers';
export const LIST = 'GET /v1/transfers';

/** A payout that can be sent, and its partner. */
export interface Sendable {
  id: string;
  partnerId: string;
  /** The partner's account at Stripe. */
  destination: string;
  referrer: Referrer;
  /** Of its only sale. */
  invoiceId: string;
}

/** A running service that is connected with a Stripe that the test commands. */
export interface Stage {
  app: TestApp;
  stripe: StripeConnect;
  /** The clocks of the service and of Stripe stand still; this is added to their time. */
  clock: { aheadMs: number; now(): number; date(): string };
  connect(body?: object): Promise<Answer>;
  /** Creates a payout of 19.99 EUR that is processing. */
  payout(): Promise<Sendable>;
  send(id: string, key?: string): Promise<Answer>;
  /** Does what the server does every second, until nothing is due at this time. */
  work(): Promise<number>;
  /** The payout, with its transfer. */
  get(id: string): Promise<Answer['body']>;
  /** How many transfers Stripe really made for a payout. */
  madeOf(id: string): number;
  /** The same, and the payout's status. */
  outcomeOf(id: string): Promise<[made: number, status: string]>;
  /** What Stripe made for a payout. */
  transfersOf(...ids: string[]): StripeTransfer[];
  /** A payout that was sent, whose transfer was made, and whose answer was lost. */
  lost(): Promise<Sendable>;
  close(): Promise<void>;
}

let accounts = 0;

export async function createStage(engine: Engine): Promise<Stage> {
  const stripe = await startStripeConnect();
  const startedAt = Date.now();
  const clock = {
    aheadMs: 0,
    now: () => startedAt + clock.aheadMs,
    date: () => new Date(clock.now()).toUTCString(),
  };
  stripe.date = clock.date;
  const app = await createTestApp(engine, { service: { clock: clock.now } });
  const connect = (body: object = {}) =>
    app.call('PUT', '/api/rails/stripe/connection', { body: { secretKey: STRIPE_KEY, apiUrl: stripe.url, ...body } });
  const stage: Stage = {
    app,
    stripe,
    clock,
    connect,
    async payout() {
      const referrer = await createReferrer(app);
      const { partnerId } = referrer;
      accounts += 1;
      const destination = `acct_ana${String(accounts).padStart(8, '0')}`;
      stripe.platform.addAccount({ id: destination });
      const body = { rail: 'stripe', account: destination };
      const set = await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
      if (set.status !== 200) throw new Error(set.text);
      const invoiceId = unique('invoice');
      await sell(app, referrer, { amount: 9_995, currency: 'eur', invoiceId });
      await runPayouts(app, { at: '2099-12-31' });
      const [{ id }] = await payoutsOf(app, partnerId, 'processing');
      return { id, partnerId, destination, referrer, invoiceId };
    },
    send: (id, key) => app.call('POST', `/api/payouts/${id}/send`, key === undefined ? {} : { key }),
    work: () => continueTransfers(app.service),
    get: async (id) => (await app.call('GET', `/api/payouts/${id}`)).body,
    madeOf: (id) => stripe.madeOf(`payout_${id}`),
    outcomeOf: async (id) => [stage.madeOf(id), (await stage.get(id)).status],
    transfersOf(...ids) {
      const groups = ids.map((id) => `payout_${id}`);
      return [...stripe.transfers.values()].filter(
        ({ transfer_group: group }) => group !== null && groups.includes(group),
      );
    },
    async lost() {
      const payout = await stage.payout();
      stripe.fault(CREATE, FAULTS.dropAfter);
      await stage.send(payout.id);
      await stage.work();
      return payout;
    },
    async close() {
      await app.close();
      await stripe.close();
    },
  };
  return stage;
}
