import type { Dub } from 'dub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { dubFor } from './dub.ts';

describe.each(engines)('the package dub, reporting to %s', (engine) => {
  let app: TestApp;
  let dub: Dub;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    dub = dubFor(app, app.apiKey);
    referrer = await createReferrer(app, { tenantId: 'tenant_1' });
  });
  afterAll(() => app.close());

  const salesOf = async (externalId: string) =>
    (await app.call('GET', `/api/sales?customerExternalId=${externalId}`)).body.data;
  const leadsOf = async (externalId: string) =>
    (await app.call('GET', `/api/leads?customerExternalId=${externalId}`)).body.data;
  const signUp = async (externalId: string) =>
    dub.track.lead({ clickId: await referrer.click(), eventName: 'Sign up', customerExternalId: externalId });

  it('gets the click, the link and the customer of a lead', async () => {
    const customerExternalId = unique('user');
    const clickId = await referrer.click();
    const person = {
      customerName: 'Ana',
      customerEmail: 'Ana@example.com',
      customerAvatar: 'https://example.com/a.png',
    };
    const lead = await dub.track.lead({
      clickId,
      eventName: 'Sign up',
      customerExternalId,
      ...person,
      mode: 'wait',
      eventQuantity: 1,
      metadata: { plan: 'pro' },
    });
    const { body: link } = await app.call('GET', `/api/links/${referrer.linkId}`);
    expect(lead).toEqual({
      click: { id: clickId },
      link: {
        id: link.id,
        domain: link.domain,
        key: link.key,
        shortLink: link.shortLink,
        url: link.url,
        partnerId: referrer.partnerId,
        programId: app.programId,
        tenantId: 'tenant_1',
        externalId: null,
      },
      customer: {
        name: 'Ana',
        email: 'Ana@example.com',
        avatar: 'https://example.com/a.png',
        externalId: customerExternalId,
      },
    });
    expect(await leadsOf(customerExternalId)).toMatchObject([
      { eventName: 'Sign up', clickId, metadata: { plan: 'pro' } },
    ]);
  });

  it('may defer a lead, and report it later without the click', async () => {
    const customerExternalId = unique('user');
    const clickId = await referrer.click();
    const lead = { eventName: 'Qualified', customerExternalId };
    expect(await dub.track.lead({ ...lead, clickId, mode: 'deferred' })).toMatchObject({ click: { id: clickId } });
    expect(await leadsOf(customerExternalId)).toEqual([]);
    expect(await dub.track.lead({ ...lead, clickId: '' })).toMatchObject({
      click: { id: clickId },
      link: { id: referrer.linkId },
    });
    expect(await leadsOf(customerExternalId)).toMatchObject([{ eventName: 'Qualified', clickId }]);
  });

  it("credits the partner of the customer's lead for a sale without a click", async () => {
    const customerExternalId = unique('user');
    await signUp(customerExternalId);
    const invoiceId = unique('in');
    const sale = await dub.track.sale({
      customerExternalId,
      amount: 4900,
      currency: 'EUR',
      eventName: 'Invoice paid',
      paymentProcessor: 'stripe',
      invoiceId,
      metadata: { seats: 3 },
    });
    const customer = { id: expect.stringMatching(/^cus_/), name: null, email: null, avatar: null };
    expect(sale).toEqual({
      eventName: 'Invoice paid',
      customer: { ...customer, externalId: customerExternalId },
      sale: { amount: 4900, currency: 'eur', paymentProcessor: 'stripe', invoiceId, metadata: { seats: 3 } },
    });
    expect(await salesOf(customerExternalId)).toMatchObject([
      { amount: 4900, commissionAmount: 980, partnerId: referrer.partnerId, attribution: { matchedBy: 'external_id' } },
    ]);
  });

  it('credits the partner of the given click', async () => {
    const customerExternalId = unique('user');
    const other = await createReferrer(app);
    await signUp(customerExternalId);
    await dub.track.sale({ customerExternalId, amount: 100, clickId: await other.click() });
    expect(await salesOf(customerExternalId)).toMatchObject([
      { eventName: 'Purchase', currency: 'usd', partnerId: other.partnerId },
    ]);
  });

  it('gets the first answer again for a repeated invoice, whatever the second report says', async () => {
    for (const paymentProcessor of ['custom', 'apple', 'dub'] as const) {
      const customerExternalId = unique('user');
      await signUp(customerExternalId);
      const invoiceId = unique('in');
      const report = { customerExternalId, amount: 700, invoiceId, paymentProcessor, metadata: { first: true } };
      const first = await dub.track.sale(report);
      expect(first.sale).toMatchObject({ amount: 700, paymentProcessor });
      expect(await dub.track.sale({ ...report, amount: 900, eventName: 'Again', metadata: null })).toEqual(first);
      const clickId = await referrer.click();
      expect(await dub.track.sale({ ...report, clickId })).toEqual(first);
      expect(await salesOf(customerExternalId)).toHaveLength(1);
    }
  });

  it('parks a payment of an unknown person, which the lead turns into a sale', async () => {
    const customerExternalId = unique('user');
    const invoiceId = unique('in');
    const report = { customerExternalId, amount: 1500, invoiceId, eventName: 'Early' };
    for (let time = 0; time < 2; time += 1) {
      expect(await dub.track.sale(report)).toEqual({ eventName: 'Early', customer: null, sale: null });
    }
    const parked = await app.call('GET', '/api/parked-payments?limit=100');
    const ofThis = parked.body.data.filter((payment: { invoiceId: string }) => payment.invoiceId === invoiceId);
    expect(ofThis).toHaveLength(1);
    expect(await salesOf(customerExternalId)).toEqual([]);
    await signUp(customerExternalId);
    expect(await salesOf(customerExternalId)).toMatchObject([{ invoiceId, amount: 1500, eventName: 'Early' }]);
    expect(await dub.track.sale(report)).toMatchObject({ eventName: 'Early', sale: { amount: 1500, invoiceId } });
  });

  it('gets the sale that was reported in another way', async () => {
    const customerExternalId = unique('user');
    await signUp(customerExternalId);
    const invoiceId = unique('in');
    const body = { customerExternalId, amount: 300, currency: 'usd', invoiceId };
    expect((await app.call('POST', '/api/sales', { body })).status).toBe(200);
    expect(await dub.track.sale({ customerExternalId, amount: 300, invoiceId })).toMatchObject({
      customer: { externalId: customerExternalId },
      sale: { amount: 300, invoiceId },
    });
  });

  it("gets a token for a partner's portal, by each way of naming the partner", async () => {
    const email = `${unique('embed')}@example.com`;
    for (const named of [
      { partnerId: referrer.partnerId },
      { tenantId: 'tenant_1' },
      { partner: { email, name: 'Bo', tenantId: 'tenant_2' } },
      { tenantId: 'tenant_2' },
    ]) {
      const { publicToken, expires } = await dub.embedTokens.referrals(named);
      expect(Date.parse(expires)).toBeGreaterThan(Date.now());
      const portal = await app.call('GET', '/api/embed/referrals/portal-config', { key: publicToken });
      expect(portal.status).toBe(200);
    }
    const { body } = await app.call('GET', `/api/partners?email=${email}`);
    expect(body.data).toMatchObject([{ name: 'Bo', tenantId: 'tenant_2' }]);
  });
});
