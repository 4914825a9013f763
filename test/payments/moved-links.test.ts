import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';

const MOVED_RATE = { type: 'percentage', rateBasisPoints: 5000 };

describe.each(engines)('a link that moves to another partner, on %s', (engine) => {
  let app: TestApp;
  let polar: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    polar = await createEndpoint(app, 'polar');
  });
  afterAll(() => app.close());

  /** An order of 100.00; Polar copies a checkout's metadata to every order of the subscription. */
  const order = (metadata: Record<string, string>) => ({
    type: 'order.paid',
    timestamp: '2026-11-01T00:00:00Z',
    data: {
      id: unique('order'),
      status: 'paid',
      currency: 'usd',
      net_amount: 10_000,
      total_amount: 12_000,
      billing_reason: 'subscription_cycle',
      metadata,
    },
  });
  async function pay(metadata: Record<string, string>) {
    const body = order(metadata);
    expect((await polar.deliver(body)).body.outcome).toBe('sale');
    return earnerOf(body.data.id);
  }
  async function earnerOf(invoiceId: string): Promise<[partnerId: string, commission: number, matchedBy: string]> {
    const [sale] = (await app.call('GET', `/api/sales?invoiceId=${invoiceId}`)).body.data;
    return [sale.partnerId, sale.commissionAmount, sale.attribution.matchedBy];
  }
  /** The next partner earns 50 % by an agreement of their own. */
  async function move(link: Referrer): Promise<Referrer> {
    const next = await createReferrer(app, { commission: MOVED_RATE });
    const body = { partnerId: next.partnerId };
    expect((await app.call('PATCH', `/api/links/${link.linkId}`, { body })).status).toBe(200);
    return next;
  }

  it('leaves a guest to the partner who brought the guest', async () => {
    const first = await createReferrer(app);
    const svc_id = await first.click();
    expect(await pay({ svc_id })).toEqual([first.partnerId, 2_000, 'metadata_click_id']);
    await move(first);
    expect(await pay({ svc_id })).toEqual([first.partnerId, 2_000, 'metadata_click_id']);
  });

  it('leaves a customer of a lead to the partner, also where payments name only the click', async () => {
    const first = await createReferrer(app);
    const customer = unique('user');
    const svc_id = await first.lead(customer);
    await move(first);
    expect(await pay({ svc_id })).toEqual([first.partnerId, 2_000, 'metadata_click_id']);
    expect(await pay({ svcCustomerExternalId: customer })).toEqual([first.partnerId, 2_000, 'external_id']);
  });

  it("leaves a customer to the partner in sales that name the customer's own click", async () => {
    const first = await createReferrer(app);
    const customerExternalId = unique('user');
    const clickId = await first.lead(customerExternalId);
    const next = await move(first);
    const sell = async (id: string) => {
      const invoiceId = unique('invoice');
      const body = { clickId: id, customerExternalId, amount: 10_000, invoiceId };
      expect((await app.call('POST', '/api/track/sale', { body })).status).toBe(200);
      return earnerOf(invoiceId);
    };
    expect(await sell(clickId)).toEqual([first.partnerId, 2_000, 'click_id']);
    expect(await sell(await first.click())).toEqual([next.partnerId, 5_000, 'click_id']);
  });

  it('keeps its own commission, for the customers of both partners', async () => {
    const first = await createReferrer(app);
    const customer = unique('user');
    const svc_id = await first.lead(customer);
    const next = await move(first);
    const commission = { type: 'percentage', rateBasisPoints: 4_000 };
    await app.call('PATCH', `/api/links/${first.linkId}`, { body: { commission } });
    expect(await pay({ svc_id })).toEqual([first.partnerId, 4_000, 'metadata_click_id']);
    expect(await pay({ svcCustomerExternalId: customer })).toEqual([first.partnerId, 4_000, 'external_id']);
    expect(await pay({ svc_id: await first.click() })).toEqual([next.partnerId, 4_000, 'metadata_click_id']);
  });

  it("brings the next partner a new customer who shares another's click, whatever reports the customer first", async () => {
    const first = await createReferrer(app);
    const svc_id = await first.lead(unique('user'));
    const next = await move(first);
    const [byLead, byPayment, bySale] = [unique('user'), unique('user'), unique('user')];
    await first.lead(byLead, { clickId: svc_id });
    expect(await pay({ svcCustomerExternalId: byLead, svc_id })).toEqual([next.partnerId, 5_000, 'external_id']);
    expect(await pay({ svcCustomerExternalId: byPayment, svc_id })).toEqual([
      next.partnerId,
      5_000,
      'metadata_click_id',
    ]);
    const body = { clickId: svc_id, customerExternalId: bySale, amount: 10_000, invoiceId: unique('invoice') };
    expect((await app.call('POST', '/api/track/sale', { body })).status).toBe(200);
    expect(await earnerOf(body.invoiceId)).toEqual([next.partnerId, 5_000, 'click_id']);
    expect(await pay({ svc_id })).toEqual([first.partnerId, 2_000, 'metadata_click_id']);
  });

  it('leaves a customer to the partner in payments that somebody attributes by the click', async () => {
    const first = await createReferrer(app);
    const svc_id = await first.lead(unique('user'));
    await move(first);
    const body = order({});
    expect((await polar.deliver(body)).body.outcome).toBe('unattributed');
    const [parked] = (await app.call('GET', '/api/parked-payments')).body.data;
    const attributed = { body: { clickId: svc_id } };
    expect((await app.call('POST', `/api/parked-payments/${parked.id}/attribute`, attributed)).status).toBe(200);
    expect(await earnerOf(body.data.id)).toEqual([first.partnerId, 2_000, 'by_hand']);
  });

  it('brings the next partner what nobody was known by before', async () => {
    const first = await createReferrer(app);
    const svc_id = await first.click();
    const next = await move(first);
    expect(await pay({ svc_id })).toEqual([next.partnerId, 5_000, 'metadata_click_id']);
    expect(await pay({ svc_id: await first.click() })).toEqual([next.partnerId, 5_000, 'metadata_click_id']);
  });
});
