import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { chargeRefunded, checkoutCompleted, invoicePaid, invoicePaymentPaid } from '../helpers/stripe-payloads.ts';

const DAY_MS = 86_400_000;

describe.each(engines)('a payment without a partner, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let now = Date.now();
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
  });
  afterAll(() => app.close());

  async function deliver(event: unknown) {
    const answer = await stripe.deliver(event);
    expect(answer.status).toBe(200);
    const { body } = await app.call('GET', '/api/deliveries?limit=1');
    return { outcome: answer.body.outcome as string, id: body.data[0].id as string };
  }
  const reportSale = (body: object) => app.call('POST', '/api/track/sale', { body });
  const salesOf = async (customer: string) =>
    (await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data;
  const parkedNow = async () => (await app.call('GET', '/api/parked-payments')).body.data;

  it('becomes a sale with the lead, and its delivery says so', async () => {
    const customer = unique('user');
    const { outcome, id } = await deliver(checkoutCompleted({ externalId: customer }));
    expect(outcome).toBe('unattributed');
    await referrer.lead(customer);
    const [sale] = await salesOf(customer);
    expect(sale).toMatchObject({ amount: 5_000, commissionAmount: 1_000 });
    const delivery = await app.call('GET', `/api/deliveries/${id}`);
    expect(delivery.body).toMatchObject({ outcome: 'sale', saleId: sale.id, reason: null });
    expect(await parkedNow()).toEqual([]);
  });

  it('is taken over by an API sale of its invoice, with its references and pending refunds', async () => {
    const customer = unique('user');
    const invoice = unique('in');
    const intent = unique('pi');
    const clickId = await referrer.click();
    const parked = await deliver(
      invoicePaid({ invoice, amount: 2_000, externalId: customer, subscription: unique('sub') }),
    );
    expect(parked.outcome).toBe('unattributed');
    expect((await deliver(chargeRefunded(intent, 2_000, 500))).outcome).toBe('noted');
    expect((await deliver(invoicePaymentPaid(invoice, intent))).outcome).toBe('noted');
    const body = { clickId, customerExternalId: customer, amount: 1_600, invoiceId: invoice };
    expect((await reportSale(body)).status).toBe(200);

    const [sale, ...others] = await salesOf(customer);
    expect(others).toEqual([]);
    expect(sale).toMatchObject({
      amount: 1_600,
      grossAmount: 2_000,
      commissionAmount: 320,
      refundedAmount: 500,
      reversedCommissionAmount: 80,
    });
    const delivery = await app.call('GET', `/api/deliveries/${parked.id}`);
    expect(delivery.body).toMatchObject({ outcome: 'duplicate', saleId: sale.id });

    expect((await deliver(chargeRefunded(intent, 2_000, 2_000))).outcome).toBe('reversal');
    expect((await salesOf(customer))[0]).toMatchObject({ status: 'refunded', reversedCommissionAmount: 320 });
    const late = { clickId, eventName: 'Sign up', customerExternalId: customer };
    expect((await app.call('POST', '/api/track/lead', { body: late })).status).toBe(200);
    expect(await salesOf(customer)).toHaveLength(1);
    expect((await reportSale(body)).body.error.code).toBe('DUPLICATE_INVOICE');
  });

  it('waits 90 days for its customer; later it can only be attributed by hand', async () => {
    const customer = unique('user');
    expect((await deliver(checkoutCompleted({ externalId: customer }))).outcome).toBe('unattributed');
    const started = now;
    now = started + 90 * DAY_MS;
    const clickId = await referrer.lead(customer);
    now = started;
    expect(await salesOf(customer)).toEqual([]);
    const [payment] = await parkedNow();
    const answer = await app.call('POST', `/api/parked-payments/${payment.id}/attribute`, { body: { clickId } });
    expect([answer.status, answer.body.partnerId]).toEqual([200, referrer.partnerId]);
    const again = await app.call('POST', `/api/parked-payments/${payment.id}/attribute`, { body: { clickId } });
    expect([again.status, again.body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(await salesOf(customer)).toHaveLength(1);
  });

  it('that is attributed by hand brings the renewals of the same payer with it', async () => {
    const atStripe = unique('cus');
    expect((await deliver(invoicePaid({ customer: atStripe }))).outcome).toBe('unattributed');
    expect((await deliver(invoicePaid({ customer: atStripe }))).outcome).toBe('unattributed');
    const [payment] = await parkedNow();
    const { partnerId } = referrer;
    const answer = await app.call('POST', `/api/parked-payments/${payment.id}/attribute`, { body: { partnerId } });
    expect(answer.status).toBe(200);
    expect(await parkedNow()).toEqual([]);
    expect((await deliver(invoicePaid({ customer: atStripe }))).outcome).toBe('sale');
  });

  it('that two sales turn out to share counts once: the later sale is reversed in full, with a note', async () => {
    const customer = unique('user');
    const invoice = unique('in');
    const intent = unique('pi');
    await referrer.lead(customer);
    const session = checkoutCompleted({ externalId: customer, paymentIntent: intent, amount: 2_000 });
    expect((await deliver(session)).outcome).toBe('sale');
    const asInvoice = invoicePaid({ externalId: customer, subscription: unique('sub'), invoice, amount: 2_000 });
    expect((await deliver(asInvoice)).outcome).toBe('sale');
    expect((await deliver(invoicePaymentPaid(invoice, intent))).outcome).toBe('noted');
    const [later, earlier] = await salesOf(customer);
    expect(earlier).toMatchObject({ invoiceId: intent, status: 'pending', reversedCommissionAmount: 0, note: null });
    expect(later).toMatchObject({ invoiceId: invoice, reversedCommissionAmount: 400 });
    expect(later.note).toContain(earlier.id);
    expect((await deliver(chargeRefunded(intent, 2_000, 1_000))).outcome).toBe('reversal');
    expect((await salesOf(customer))[1]).toMatchObject({ refundedAmount: 1_000, reversedCommissionAmount: 200 });
    expect((await salesOf(customer))[0]).toMatchObject({ reversedCommissionAmount: 400 });
  });
});
