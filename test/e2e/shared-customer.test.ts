import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, customerUpdated, invoicePaid } from '../helpers/stripe-payloads.ts';

describe.each(engines)("one processor's customer who pays for two customers of different partners, on %s", (engine) => {
  let app: TestApp;
  let ana: Referrer;
  let ben: Referrer;
  let stripe: EndpointUnderTest;
  let paddle: EndpointUnderTest;
  /** The customer of Ana, who paid first, the one of Ben, and the customer of the processor, who is known as the first. */
  let [first, second, boss] = ['', '', ''];
  beforeAll(async () => {
    app = await createTestApp(engine);
    ana = await createReferrer(app);
    ben = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    paddle = await createEndpoint(app, 'paddle');
  });
  beforeEach(async () => {
    [first, second, boss] = [unique('workspace'), unique('workspace'), unique('boss')];
    await ana.lead(first);
    await ben.lead(second);
    await deliver(stripe, customerUpdated(boss, first));
  });
  afterAll(() => app.close());

  async function deliver(endpoint: EndpointUnderTest, event: unknown): Promise<void> {
    expect((await endpoint.deliver(event)).status).toBe(200);
  }
  async function ownerOf(invoiceId: string) {
    const { body } = await app.call('GET', '/api/sales?limit=100');
    const sale = body.data.find((one: { invoiceId: string }) => one.invoiceId === invoiceId);
    return { partnerId: sale.partnerId, customer: sale.customer.externalId };
  }
  const byBen = () => ({ partnerId: ben.partnerId, customer: second });

  /** A session that starts a subscription of the boss, with its first invoice and a renewal. */
  function subscription(named: Record<string, unknown>) {
    const [invoice, next, id] = [unique('in'), unique('in'), unique('sub')];
    const session = checkoutCompleted({ customer: boss, invoice });
    const started = { mode: 'subscription', payment_intent: null, subscription: id, ...named };
    const paid = (name: string) => invoicePaid({ customer: boss, subscription: id, invoice: name });
    return {
      invoice,
      next,
      session: { ...session, data: { object: { ...(session.data.object as object), ...started } } },
      first: paid(invoice),
      renewal: paid(next),
    };
  }

  it('attributes a subscription to the customer whom its session names', async () => {
    const told = subscription({ metadata: { svcCustomerExternalId: second } });
    for (const event of [told.session, told.first, told.renewal]) await deliver(stripe, event);
    expect(await ownerOf(told.invoice)).toEqual(byBen());
    expect(await ownerOf(told.next)).toEqual(byBen());
  });

  it('attributes a subscription to the click that its session names', async () => {
    const told = subscription({ client_reference_id: await ben.click() });
    for (const event of [told.session, told.first, told.renewal]) await deliver(stripe, event);
    for (const invoice of [told.invoice, told.next]) {
      expect(await ownerOf(invoice)).toEqual({ partnerId: ben.partnerId, customer: null });
    }
  });

  it('attributes the renewals to the click that the session names, even if the first invoice was counted before', async () => {
    const told = subscription({ client_reference_id: await ben.click() });
    for (const event of [told.first, told.session, told.renewal]) await deliver(stripe, event);
    expect(await ownerOf(told.invoice)).toEqual({ partnerId: ana.partnerId, customer: first });
    expect(await ownerOf(told.next)).toEqual({ partnerId: ben.partnerId, customer: null });
  });

  it('keeps a subscription with its customer when a session names a click that was never recorded', async () => {
    const told = subscription({ client_reference_id: `clk_${'0'.repeat(12)}${'x'.repeat(20)}` });
    for (const event of [told.first, told.session, told.renewal]) await deliver(stripe, event);
    expect(await ownerOf(told.next)).toEqual({ partnerId: ana.partnerId, customer: first });
  });

  it('gives the second customer a subscription whose session names them before they sign up', async () => {
    const late = unique('workspace');
    const told = subscription({ metadata: { svcCustomerExternalId: late } });
    await deliver(stripe, told.session);
    await deliver(stripe, told.first);
    await ben.lead(late);
    await deliver(stripe, told.renewal);
    expect(await ownerOf(told.next)).toEqual({ partnerId: ben.partnerId, customer: late });
  });

  it('attributes a session to the customer whom its payment intent named', async () => {
    const session = checkoutCompleted({ customer: boss });
    const { payment_intent: id } = session.data.object as { payment_intent: string };
    const metadata = { svcCustomerExternalId: second };
    const intent = { id, object: 'payment_intent', amount_received: 5000, currency: 'usd', customer: boss, metadata };
    await deliver(stripe, {
      ...session,
      id: unique('evt'),
      type: 'payment_intent.succeeded',
      data: { object: intent },
    });
    await deliver(stripe, session);
    expect(await ownerOf(id)).toEqual(byBen());
  });

  it("does not write one customer's e-mail address to the other", async () => {
    await deliver(stripe, subscription({ metadata: { svcCustomerExternalId: second } }).session);
    const emailOf = async (externalId: string) => (await app.call('GET', `/api/customers/${externalId}`)).body.email;
    expect([await emailOf(first), await emailOf(second)]).toEqual([null, 'mia@example.com']);
  });

  it('attributes a transaction of Paddle to the customer whom its subscription names', async () => {
    const [started, paid] = [unique('txn'), unique('txn')];
    const event = (event_type: string, data: object) => ({
      event_id: unique('evt'),
      event_type,
      occurred_at: new Date().toISOString(),
      data: { customer_id: boss, items: [], ...data },
    });
    const totals = { subtotal: '10000', discount: '0', tax: '0', total: '10000', grand_total: '10000' };
    const transaction = (id: string, more: object) =>
      event('transaction.completed', { id, currency_code: 'USD', details: { totals }, payments: [], ...more });
    await deliver(paddle, transaction(started, { custom_data: { svcCustomerExternalId: first } }));
    const id = unique('sub');
    await deliver(paddle, event('subscription.updated', { id, custom_data: { svcCustomerExternalId: second } }));
    await deliver(paddle, transaction(paid, { subscription_id: id, origin: 'subscription_recurring' }));
    expect(await ownerOf(started)).toEqual({ partnerId: ana.partnerId, customer: first });
    expect(await ownerOf(paid)).toEqual(byBen());
  });
});
