import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, customerUpdated, invoicePaid } from '../helpers/stripe-payloads.ts';

describe.each(engines)('who earned a payment, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
  });
  afterAll(() => app.close());

  /** The session, with some members of its object replaced. */
  function session(changes: Record<string, unknown>, paid: Parameters<typeof checkoutCompleted>[0] = {}) {
    const event = checkoutCompleted(paid);
    return { ...event, data: { object: { ...(event.data.object as object), ...changes } } };
  }
  async function outcomeOf(event: unknown): Promise<string> {
    const answer = await stripe.deliver(event);
    expect(answer.status).toBe(200);
    return answer.body.outcome;
  }
  async function newestSale() {
    const { body } = await app.call('GET', '/api/sales?limit=1');
    return body.data[0];
  }
  const lead = (body: Record<string, unknown>) =>
    app.call('POST', '/api/track/lead', { body: { eventName: 'Sign up', ...body } });
  async function setEmailMatching(emailMatching: boolean): Promise<void> {
    const answer = await app.call('PATCH', `/api/programs/${app.programId}`, { body: { emailMatching } });
    expect(answer.status).toBe(200);
  }

  it('uses the click id in the metadata, and creates a guest for a payment without a customer', async () => {
    const clickId = await referrer.click();
    expect(await outcomeOf(session({ metadata: { svc_id: clickId } }))).toBe('sale');
    expect(await newestSale()).toMatchObject({
      clickId,
      partnerId: referrer.partnerId,
      customer: { externalId: null, name: 'Mia Example' },
      attribution: { matchedBy: 'metadata_click_id' },
    });
  });

  it('uses a client_reference_id that is a click id', async () => {
    const clickId = await referrer.click();
    expect(await outcomeOf(session({ client_reference_id: clickId }))).toBe('sale');
    expect(await newestSale()).toMatchObject({ clickId, attribution: { matchedBy: 'metadata_click_id' } });
  });

  it('ignores a click that was never recorded: the next step decides, and the trace shows both', async () => {
    const customer = unique('user');
    const atStripe = unique('cus');
    const clickId = await referrer.lead(customer);
    expect(await outcomeOf(customerUpdated(atStripe, customer))).toBe('noted');
    const wrong = `clk_${'0'.repeat(12)}${'x'.repeat(20)}`;
    expect(await outcomeOf(session({ metadata: { svc_id: wrong } }, { customer: atStripe }))).toBe('sale');
    const sale = await newestSale();
    expect(sale).toMatchObject({ clickId, customer: { externalId: customer } });
    expect(sale.attribution).toMatchObject({
      matchedBy: 'processor_customer',
      steps: [
        { step: 'metadata_click_id', value: wrong, result: 'not_found' },
        { step: 'processor_customer', value: atStripe, result: 'matched' },
        { step: 'commission' },
      ],
    });
  });

  it('does not keep a wrong click: the renewal is parked, and then attributed by the correct one', async () => {
    const atStripe = unique('cus');
    const wrong = `clk_${'0'.repeat(12)}${'y'.repeat(20)}`;
    expect(await outcomeOf(session({ metadata: { svc_id: wrong } }, { customer: atStripe }))).toBe('unattributed');
    expect(await outcomeOf(invoicePaid({ customer: atStripe }))).toBe('unattributed');
    const right = customerUpdated(atStripe, unique('nobody'));
    const clickId = await referrer.click();
    Object.assign(right.data.object as object, { metadata: { svc_id: clickId } });
    expect(await outcomeOf(right)).toBe('noted');
    const { body } = await app.call('GET', `/api/sales?partnerId=${referrer.partnerId}&limit=100`);
    const found = body.data.filter((sale: { clickId: string }) => sale.clickId === clickId);
    expect(found).toHaveLength(2);
  });

  it("stores the processor's customer, so that a renewal without other hints finds its partner", async () => {
    const customer = unique('user');
    const atStripe = unique('cus');
    const clickId = await referrer.lead(customer);
    expect(await outcomeOf(checkoutCompleted({ externalId: customer, customer: atStripe }))).toBe('sale');
    expect(await outcomeOf(invoicePaid({ customer: atStripe, subscription: unique('sub') }))).toBe('sale');
    expect(await newestSale()).toMatchObject({
      eventName: 'Renewal',
      clickId,
      customer: { externalId: customer },
      attribution: { matchedBy: 'processor_customer' },
    });
  });

  it("uses a partner's discount code in any case, also for renewals of that guest", async () => {
    const influencer = await createReferrer(app, { discountCodes: ['MiaSaves20'] });
    const atStripe = unique('cus');
    const code = { id: unique('di'), promotion_code: { id: unique('promo'), code: 'MIASAVES20' } };
    expect(await outcomeOf(session({ discounts: [code] }, { customer: atStripe }))).toBe('sale');
    expect(await newestSale()).toMatchObject({
      partnerId: influencer.partnerId,
      linkId: null,
      clickId: null,
      customer: { externalId: null },
      attribution: { matchedBy: 'discount_code' },
    });
    expect(await outcomeOf(invoicePaid({ customer: atStripe }))).toBe('sale');
    expect(await newestSale()).toMatchObject({
      partnerId: influencer.partnerId,
      attribution: { matchedBy: 'processor_customer' },
    });
  });

  it('turns the guest of a click into the customer of the lead that comes through the same click', async () => {
    const customer = unique('user');
    const clickId = await referrer.click();
    expect(await outcomeOf(session({ metadata: { svc_id: clickId } }))).toBe('sale');
    const guest = await newestSale();
    expect((await lead({ clickId, customerExternalId: customer })).body.customer).toEqual({
      externalId: customer,
      email: 'mia@example.com',
      name: 'Mia Example',
    });
    const { body } = await app.call('GET', `/api/sales/${guest.id}`);
    expect(body.customer.externalId).toBe(customer);
    expect(await outcomeOf(checkoutCompleted({ externalId: customer }))).toBe('sale');
    const { body: all } = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    expect(all.data).toHaveLength(2);
  });

  it('uses the e-mail address only if the program allows it, ignoring case', async () => {
    const customer = unique('user');
    const email = `${unique('Zoe')}@Example.com`;
    const clickId = await referrer.click();
    expect((await lead({ clickId, customerExternalId: customer, customerEmail: email })).status).toBe(200);
    const byEmail = () => session({ customer_details: { email: email.toUpperCase(), name: null } });
    expect(await outcomeOf(byEmail())).toBe('unattributed');
    await setEmailMatching(true);
    expect(await outcomeOf(byEmail())).toBe('sale');
    expect(await newestSale()).toMatchObject({
      customer: { externalId: customer },
      attribution: { matchedBy: 'email' },
    });
    await setEmailMatching(false);
    expect(await outcomeOf(byEmail())).toBe('unattributed');
  });

  it('answers a repeated lead with the stored one, whatever click it names, and counts it once', async () => {
    const customer = unique('user');
    const first = await referrer.lead(customer);
    const other = await createReferrer(app);
    const repeated = await lead({ clickId: await other.click(), customerExternalId: customer });
    expect(repeated.body).toMatchObject({ click: { id: first }, link: { id: referrer.linkId } });
    const { body } = await app.call('GET', `/api/leads?customerExternalId=${customer}`);
    expect(body.data).toHaveLength(1);
    expect(await outcomeOf(checkoutCompleted({ externalId: customer }))).toBe('sale');
    expect(await newestSale()).toMatchObject({ partnerId: referrer.partnerId, clickId: first });
  });

  it('answers an API sale and a lead with what a processor has reported about the customer', async () => {
    const [bySale, byLead] = [unique('user'), unique('user')];
    for (const customer of [bySale, byLead]) {
      expect(await outcomeOf(customerUpdated(unique('cus'), customer, `${customer}@example.com`))).toBe('noted');
    }
    const clickId = await referrer.click();
    const sale = { clickId, customerExternalId: bySale, amount: 100 };
    const { body } = await app.call('POST', '/api/track/sale', { body: sale });
    expect(body.customer.email).toBe(`${bySale}@example.com`);
    const answer = await lead({ clickId, customerExternalId: byLead });
    expect(answer.body.customer.email).toBe(`${byLead}@example.com`);
  });

  it('fills a profile from the lowest of several ids at a processor, whichever was reported first', async () => {
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const customer = unique('user');
      for (const one of order) {
        expect(await outcomeOf(customerUpdated(`cus_${one}_${customer}`, customer, `${one}@example.com`))).toBe(
          'noted',
        );
      }
      const answer = await lead({ clickId: await referrer.click(), customerExternalId: customer });
      expect([order, answer.body.customer.email]).toEqual([order, 'a@example.com']);
    }
  });

  it.each([
    ['type', () => ({ ...checkoutCompleted({}), type: 'checkout.session.teleported' })],
    ['currency', () => checkoutCompleted({ currency: 'zzz' })],
    ['status', () => session({ payment_status: 'half_paid' })],
  ])('keeps a delivery of an unknown %s as unknown, with a reason and without a sale', async (_what, event) => {
    expect(await outcomeOf(event())).toBe('unknown');
    const { body } = await app.call('GET', '/api/deliveries?limit=1');
    expect(body.data[0]).toMatchObject({ status: 'processed', outcome: 'unknown', saleId: null });
    expect(body.data[0].reason).toMatch(/ is not (known|in ISO 4217)$/);
  });

  it('answers 404 to deliveries to a deleted endpoint', async () => {
    const gone = await createEndpoint(app, 'stripe');
    expect((await app.call('DELETE', `/api/webhook-endpoints/${gone.id}`)).status).toBe(204);
    const answer = await gone.deliver(checkoutCompleted({}));
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
  });
});
