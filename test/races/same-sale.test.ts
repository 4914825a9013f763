import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../helpers/databases.ts';
import { createProcesses, type Processes } from '../helpers/processes.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, invoicePaid } from '../helpers/stripe-payloads.ts';
import { untilTaken } from '../helpers/until-taken.ts';

const TIMES = 200;

describe.each(engines)('one sale, reported concurrently through every process, on %s', (engine) => {
  let processes: Processes;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    processes = await createProcesses(engine);
    referrer = await createReferrer(processes.app);
    stripe = await createEndpoint(processes.app, 'stripe');
  });
  afterAll(() => processes.close());

  const atOnce = <T>(count: number, one: (number: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, number) => one(number)));
  const reportSale = (number: number, body: object) => processes.call(number, 'POST', '/api/track/sale', { body });
  const salesOf = async (customer: string) => {
    const { body } = await processes.app.call('GET', `/api/sales?customerExternalId=${customer}&limit=100`);
    return body.data as { id: string; commissionAmount: number }[];
  };
  const entriesOf = async (saleId: string) =>
    (await processes.app.call('GET', `/api/ledger?saleId=${saleId}`)).body.data as { amount: number }[];

  /** Asserts that the customer has one sale, and the partner one commission for it. */
  async function expectOneSale(customer: string, commission: number): Promise<void> {
    const sales = await salesOf(customer);
    expect(sales).toHaveLength(1);
    const entries = await entriesOf(sales[0]?.id ?? '');
    expect(entries.map(({ amount }) => amount)).toEqual([commission]);
  }

  it('records one of 200 sales with the same invoice and refuses 199', async () => {
    const clickId = await referrer.click();
    const customer = unique('user');
    const body = { clickId, customerExternalId: customer, amount: 5_000, invoiceId: unique('inv') };
    const answers = await atOnce(TIMES, (number) => untilTaken(() => reportSale(number, body)));
    expect(countBy(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: TIMES - 1 });
    expect(answers.filter(({ status }) => status === 409).map((answer) => answer.body.error.code)).toEqual(
      Array(TIMES - 1).fill('DUPLICATE_INVOICE'),
    );
    await expectOneSale(customer, 1_000);
  });

  it('records one sale for 200 deliveries of one event', async () => {
    const customer = unique('user');
    await referrer.lead(customer);
    const event = checkoutCompleted({ externalId: customer, amount: 5_000 });
    const answers = await atOnce(TIMES, (number) =>
      untilTaken(() => stripe.deliver(event, undefined, processes.urlOf(number))),
    );
    expect(countBy(answers.map(({ status, body }) => `${status} ${body.outcome}`))).toEqual({
      '200 sale': 1,
      '200 duplicate': TIMES - 1,
    });
    await expectOneSale(customer, 1_000);
  });

  it('records one sale for an event that two endpoints of a processor receive, 20 times', async () => {
    const second = await createEndpoint(processes.app, 'stripe');
    const customers = Array.from({ length: 20 }, () => unique('user'));
    for (const customer of customers) await referrer.lead(customer);
    await Promise.all(
      customers.map(async (customer, round) => {
        const event = checkoutCompleted({ externalId: customer, amount: 5_000 });
        const answers = await Promise.all([
          stripe.deliver(event, undefined, processes.urlOf(round)),
          second.deliver(event, undefined, processes.urlOf(round + 1)),
        ]);
        expect(answers.map(({ status, body }) => `${status} ${body.outcome}`).sort()).toEqual([
          '200 duplicate',
          '200 sale',
        ]);
        await expectOneSale(customer, 1_000);
      }),
    );
  });

  it('records one sale for an invoice by API and by webhook, in either order and at once, 40 times', async () => {
    await atOnce(40, async (round) => {
      const customer = unique('user');
      const invoice = unique('in');
      const clickId = await referrer.lead(customer);
      const byApi = () =>
        reportSale(round, { clickId, customerExternalId: customer, amount: 2_000, invoiceId: invoice });
      const byWebhook = () =>
        stripe.deliver(
          invoicePaid({ externalId: customer, subscription: unique('sub'), invoice, amount: 2_000 }),
          undefined,
          processes.urlOf(round + 1),
        );
      const [api, webhook] = await inSomeOrder(round % 4, byApi, byWebhook);
      expect(webhook.status).toBe(200);
      expect([`${api.status} ${webhook.body.outcome}`]).toEqual([api.status === 200 ? '200 duplicate' : '409 sale']);
      await expectOneSale(customer, 400);
    });
  });

  it('records one sale for an invoice that is parked while the caller reports it, 40 times', async () => {
    await atOnce(40, async (round) => {
      const customer = unique('user');
      const invoice = unique('in');
      const clickId = await referrer.click();
      const byApi = () =>
        reportSale(round, { clickId, customerExternalId: customer, amount: 2_000, invoiceId: invoice });
      const event = invoicePaid({ customer: unique('cus'), invoice, amount: 2_000 });
      const byWebhook = () => stripe.deliver(event, undefined, processes.urlOf(round + 1));
      const [api, webhook] = await inSomeOrder(round % 4, byApi, byWebhook);
      expect([api.status, webhook.status]).toEqual([200, 200]);
      expect(['unattributed', 'duplicate']).toContain(webhook.body.outcome);
      await expectOneSale(customer, 400);
    });
    const parked = await processes.app.call('GET', '/api/parked-payments');
    expect(parked.body.data).toEqual([]);
  });
});

function countBy(values: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/**
 * 0: the first before the second; 1: after it; any other number: both at once. Returns both results, in the order of
 * the arguments.
 */
async function inSomeOrder<A, B>(order: number, first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  if (order === 0) {
    const earlier = await first();
    return [earlier, await second()];
  }
  if (order === 1) {
    const earlier = await second();
    return [await first(), earlier];
  }
  return Promise.all([first(), second()]);
}
