import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryDueDeliveries } from '../../src/deliveries/retry.ts';
import { changed } from '../adapters/revenuecat-bodies.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';

const NOVEMBER = Date.UTC(2026, 10, 1);

describe.each(engines)(
  'reports of one refund in EUR, of a payment that turns out to be a sale in USD, on %s',
  (engine) => {
    let app: TestApp;
    let referrer: Referrer;
    let revenuecat: EndpointUnderTest;
    let customer: string;
    let transaction: string;
    let deliveries: string[];
    beforeAll(async () => {
      app = await createTestApp(engine);
      referrer = await createReferrer(app);
      revenuecat = await createEndpoint(app, 'revenuecat');
    });
    beforeEach(() => {
      [customer, transaction, deliveries] = [unique('user'), unique('transaction'), []];
    });
    afterAll(() => app.close());

    async function tell(name: string, minute: number, members = {}): Promise<void> {
      const ids = { id: unique('event'), transaction_id: transaction, app_user_id: customer };
      const body = changed(name, { ...ids, event_timestamp_ms: NOVEMBER + minute * 60_000, ...members });
      expect((await revenuecat.deliver(JSON.parse(body.toString('utf8')))).status).toBe(200);
      const [newest] = (await app.call('GET', '/api/deliveries?limit=1')).body.data;
      deliveries.push(newest.id);
    }
    const refund = (minute: number) => tell('CANCELLATION--refund', minute);
    /** A report that names no currency, and is never of an amount. */
    const reversed = (minute: number) => tell('REFUND_REVERSED', minute, { currency: null });

    /** The backend reports the payment as 100.00 USD, of which 20.00 are earned. */
    async function sell(): Promise<void> {
      await referrer.lead(customer);
      const sale = { customerExternalId: customer, invoiceId: `APP_STORE:${transaction}`, amount: 10_000 };
      const body = { ...sale, currency: 'usd', paymentProcessor: 'revenuecat' };
      expect((await app.call('POST', '/api/sales', { body })).status).toBe(200);
    }

    async function statuses(): Promise<string[]> {
      const read = deliveries.map(async (id) => (await app.call('GET', `/api/deliveries/${id}`)).body.status);
      return Promise.all(read);
    }

    async function saleOf() {
      const { body } = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
      return body.data[0];
    }
    const untouched = { amount: 10_000, commissionAmount: 2_000, refundedAmount: 0, reversedCommissionAmount: 0 };

    it('fails the first one, not one that says the same again', async () => {
      await refund(0);
      await refund(1);
      await sell();
      expect(await statuses()).toEqual(['failed', 'processed']);
      expect(await saleOf()).toMatchObject(untouched);
      await requireAgreement(app.service, app.accountId);
    });

    it.each([
      ['after it', [() => refund(0), () => reversed(1)], ['processed', 'failed']],
      ['before it', [() => reversed(1), () => refund(0)], ['failed', 'processed']],
    ] as const)(
      'applies only its failure again, which arrived %s, so that no delivery fails',
      async (_, reports, first) => {
        for (const report of reports) await report();
        await sell();
        expect(await statuses()).toEqual(first);
        await retryDueDeliveries(app.service);
        expect(await statuses()).toEqual(['processed', 'processed']);
        expect(await saleOf()).toMatchObject(untouched);
        await requireAgreement(app.service, app.accountId);
      },
    );
  },
);
