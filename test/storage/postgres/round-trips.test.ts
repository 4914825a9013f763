import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createListener } from '../../../src/events/listeners.ts';
import { customerOf, invoicePaid } from '../../bench/deliveries.ts';
import { type Answer, type AppOfMany, call, createAppOfMany, type TestApp } from '../../helpers/app.ts';
import { applyFacts, hints, identified } from '../../helpers/facts.ts';
import { type ObservedPostgres, observePostgres, type Traffic } from '../../helpers/postgres-traffic.ts';
import { type ServingProcess, startServing } from '../../helpers/serving-process.ts';
import { orderOf, refundOf } from '../../helpers/shopify-orders.ts';
import { createEndpoint, createReferrer, type Referrer, VISITOR } from '../../helpers/story.ts';
import { invoicePaid as anyInvoice } from '../../helpers/stripe-payloads.ts';

const WARM_UP = 4;
const MEASURED = 9;
const SECRET = 'whsec_round_trips';

// "what is known" includes whether the person was erased; which endpoints want events is cached from the first request
describe('what one request costs on PostgreSQL', () => {
  let appOfMany: AppOfMany;
  let app: TestApp;
  let observed: ObservedPostgres;
  let serving: ServingProcess;
  let referrer: Referrer;
  let made = 0;

  beforeAll(async () => {
    appOfMany = await createAppOfMany('postgres');
    app = await appOfMany.addApp();
    observed = await observePostgres(app.databaseUrl);
    serving = await startServing(observed.url, 'still');
    observed.follow(serving.child.process.pid ?? 0);
    referrer = await createReferrer(app);
  });
  afterAll(async () => {
    await serving.kill();
    await observed.close();
    await appOfMany.close();
  });

  const post = (path: string, body: unknown) => call(serving.url + path, 'POST', { key: app.apiKey, body });

  /**
   * The statements that each of several requests has, because the first run of a job may fall into one; and the median of
   * the waits, for the same reason.
   */
  async function costOf(request: (n: number) => Promise<Answer>, status = 200) {
    const costs: Traffic[] = [];
    for (let n = 0; n < WARM_UP + MEASURED; n += 1) {
      made += 1;
      const traffic = await observed.observe(async () => {
        const answer = await request(made);
        expect(answer.status, answer.text).toBe(status);
      });
      if (n >= WARM_UP) costs.push(traffic);
    }
    const sorted = costs.map(({ waits }) => waits).toSorted((a, b) => a - b);
    return { statements: ofAll(costs.map(({ statements }) => statements)), waits: sorted[Math.floor(MEASURED / 2)] };
  }

  /** How many texts are in every one of the lists; a text that is in all of them twice counts twice. */
  function ofAll(lists: string[][]): number {
    const [first = [], ...others] = lists.map((texts) => Map.groupBy(texts, (text) => text));
    return [...first].reduce(
      (sum, [text, { length }]) => sum + Math.min(length, ...others.map((texts) => texts.get(text)?.length ?? 0)),
      0,
    );
  }

  it('a lead of a new customer: its key, what is known, all writes with the commit', async () => {
    const clickId = await referrer.click();
    const cost = await costOf((n) => {
      const customer = { customerExternalId: `lead_${n}`, customerEmail: `lead${n}@example.com` };
      return post('/api/track/lead', { clickId, eventName: 'Sign up', ...customer });
    });
    expect(cost).toEqual({ statements: 11, waits: 3 });
  });

  it('a lead of somebody whom processors have reported: no more statements for nine ids than for two', async () => {
    const clickId = await referrer.click();
    const countFor = async (ids: number) => {
      const externalId = `reported_${ids}`;
      const { service, accountId } = app;
      for (let n = 0; n < ids; n += 1) {
        const customer = { externalId, processorCustomerId: `cus_${ids}_${n}`, email: `${externalId}@example.com` };
        await applyFacts(service, accountId, identified(hints(customer)));
      }
      const { statements } = await observed.observe(async () => {
        const body = { clickId, eventName: 'Sign up', customerExternalId: externalId };
        expect((await post('/api/track/lead', body)).body.customer.email).toBe(`${externalId}@example.com`);
      });
      return statements.filter((sql) => sql.startsWith('UPDATE identities')).length;
    };
    expect([await countFor(2), await countFor(9)]).toEqual([1, 1]);
  });

  it('a sale of a known customer: its key, what is known, all writes with the commit', async () => {
    const clickId = await referrer.lead('buyer');
    const cost = await costOf((n) =>
      post('/api/track/sale', { clickId, customerExternalId: 'buyer', amount: 2_000, invoiceId: `inv_${n}` }),
    );
    expect(cost).toEqual({ statements: 15, waits: 3 });
  });

  it('a sale whose events somebody fetches: besides, who that is, the resource of each event, and the payout', async () => {
    // for an account of its own: that the other one has no listeners is cached in a process whose clock stands still
    const heard = await appOfMany.addApp();
    const clickId = await (await createReferrer(heard)).lead('heard');
    await createListener(heard.service, heard.accountId, ['sale.created', 'commission.created']);
    const cost = await costOf((n) => {
      const body = { clickId, customerExternalId: 'heard', amount: 2_000, invoiceId: `heard_${n}` };
      return call(`${serving.url}/api/track/sale`, 'POST', { key: heard.apiKey, body });
    });
    expect(cost).toEqual({ statements: 24, waits: 8 });
  });

  it('a Stripe invoice: what is known, all writes with the commit; of a new Stripe customer, two more', async () => {
    const { body: endpoint } = await app.call('POST', '/api/webhook-endpoints', {
      body: { processor: 'stripe', secrets: [SECRET] },
    });
    const url = serving.url + new URL(endpoint.url).pathname;
    const deliver = (n: number, customer: number) => {
      const body = invoicePaid(customer, `r${n}_`);
      const time = Math.floor(Date.now() / 1000);
      const v1 = createHmac('sha256', SECRET).update(`${time}.`).update(body).digest('hex');
      return call(url, 'POST', { key: null, body, headers: { 'stripe-signature': `t=${time},v1=${v1}` } });
    };
    for (let n = 0; n <= WARM_UP + MEASURED; n += 1) await referrer.lead(customerOf(n));
    const cost = await costOf((n) => deliver(n, 0));
    expect(cost.waits).toBe(2);
    // the endpoint's last delivery time is written within the first second
    expect(cost.statements).toBeLessThanOrEqual(17);
    let customers = 0;
    const deliverNew = (n: number) => {
      customers += 1;
      return deliver(n, customers);
    };
    const costOfNew = await costOf(deliverNew);
    expect(costOfNew.waits).toBe(4);
    expect(costOfNew.statements).toBeLessThanOrEqual(21);
  });

  it('a Shopify order with new refunds: no more waits for nine than for one', async () => {
    const shopify = await createEndpoint(app, 'shopify', { shopDomain: 'shop.myshopify.com' });
    await referrer.lead('mia');
    let orders = 0;
    const costFor = async (refunds: number) => {
      const paid = await Promise.all(
        Array.from({ length: WARM_UP + MEASURED }, async () => {
          orders += 1;
          const order = orderOf([[1, 9, 9_000]], { id: orders });
          expect((await shopify.deliver(order, 'orders/paid')).body.outcome).toBe('sale');
          return order;
        }),
      );
      return costOf(() => {
        const order = paid.pop();
        const refundOfOrder = (_: unknown, nth: number) => {
          const refund = refundOf(nth + 1, [[1, 1, 1_000]], { paidBackIn: 'EUR' });
          return { ...refund, id: `${order?.id}${nth}`, order_id: order?.id };
        };
        const updated = { ...order, refunds: Array.from({ length: refunds }, refundOfOrder) };
        return shopify.deliver(updated, 'orders/updated', serving.url);
      });
    };
    const [ofOne, ofNine] = [await costFor(1), await costFor(9)];
    expect([ofOne.waits, ofNine.waits]).toEqual([8, 8]);
    // eight of a table's rows are inserted at once
    expect(ofNine.statements).toBeLessThanOrEqual(ofOne.statements + 3);
  });

  it('a click: BEGIN, all writes with the commit', async () => {
    const domain = new URL(serving.url).host;
    const body = { partnerId: referrer.partnerId, domain, key: 'counted', url: 'https://shop.example.com/' };
    await app.call('POST', '/api/links', { body });
    const cost = await costOf(
      () => call(`${serving.url}/counted`, 'GET', { key: null, headers: { 'user-agent': VISITOR } }),
      302,
    );
    expect(cost).toEqual({ statements: 5, waits: 2 });
  });

  it('the portal of a partner: its token, its limit, and what it shows', async () => {
    // in one currency, something becomes due today, which takes a look at single entries; of the other partner, this depends
    // on the day
    const { partnerId } = await createReferrer(app);
    const adjustment = { partnerId, amount: 100, currency: 'usd', reason: 'Thanks' };
    expect((await post('/api/adjustments', adjustment)).status).toBe(201);
    const body = { enrollmentId: partnerId };
    const { body: token } = await app.call('POST', '/api/embed/token', { body });
    const costOfPage = (page: string) =>
      costOf(() => call(`${serving.url}/api/embed/referrals/${page}`, 'GET', { key: token.publicToken }));
    expect(await costOfPage('portal-config')).toEqual({ statements: 3, waits: 3 });
    expect(await costOfPage('earnings')).toEqual({ statements: 7, waits: 7 });
  });

  // last, because every report looks up what an account has erased once it has erased anything
  it('an erasure: no more waits for nine payments than for one', async () => {
    for (const payments of [1, 9]) {
      const customer = `erased_${payments}`;
      const clickId = await referrer.lead(customer);
      for (let n = 0; n < payments; n += 1) {
        const sale = { clickId, customerExternalId: customer, amount: 2_000, invoiceId: `${customer}_${n}` };
        expect((await post('/api/track/sale', sale)).status).toBe(200);
      }
      const erase = () => call(`${serving.url}/api/customers/${customer}/personal-data`, 'DELETE', { key: app.apiKey });
      // of so many answers, a busy machine reads two at once in most requests
      expect((await costOf(erase, 204)).waits).toBeLessThanOrEqual(18);
    }
  });

  it('parked payments that turn out to be an erased customer’s: each is erased once', async () => {
    await referrer.lead('erased');
    const erased = await app.call('DELETE', '/api/customers/erased/personal-data');
    expect(erased.status).toBe(204);
    const stripe = await createEndpoint(app, 'stripe');
    const [externalId, customer, subscription] = ['erased', 'cus_erased', 'sub_erased'];
    for (let n = 0; n < 5; n += 1) {
      expect((await stripe.deliver(anyInvoice({ customer }))).body.outcome).toBe('unattributed');
    }
    const { statements } = await observed.observe(async () => {
      const named = anyInvoice({ externalId, customer, subscription });
      expect((await stripe.deliver(named, undefined, serving.url)).body.outcome).toBe('sale');
    });
    // the report that names the customer is stored without them
    expect(statements.filter((sql) => sql.startsWith('UPDATE sales SET metadata'))).toHaveLength(5);
  });
});
