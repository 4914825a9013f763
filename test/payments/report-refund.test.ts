import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { chargeRefunded, checkoutCompleted, invoicePaid, refundOf } from '../helpers/stripe-payloads.ts';

describe.each(engines)('refunds that a custom checkout reports, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());

  const refund = (saleId: string, body: unknown) => app.call('POST', `/api/sales/${saleId}/refunds`, { body });

  it('reverse the commission in proportion, and completely in the end, despite rounding', async () => {
    const saleId = await sell(app, referrer, { amount: 999 });
    const reversed: number[] = [];
    for (const [index, amount] of [333, 333, 333].entries()) {
      const { status, body } = await refund(saleId, { refundId: `part_${index}_${saleId}`, amount });
      expect([status, body.id]).toEqual([201, saleId]);
      reversed.push(body.reversedCommissionAmount);
    }
    expect(reversed).toEqual([67, 133, 200]);
    const { body } = await app.call('GET', `/api/sales/${saleId}`);
    expect(body).toMatchObject({ status: 'refunded', refundedAmount: 999, commissionAmount: 200 });
    expect(body.entries.map(({ amount }: { amount: number }) => amount)).toEqual([200, -67, -66, -67]);
    expect(body.refunds).toHaveLength(3);
  });

  it('count once per refundId, however often and concurrently they are sent', async () => {
    const saleId = await sell(app, referrer);
    const body = { refundId: unique('re'), amount: 2500 };
    const answers = await Promise.all(Array.from({ length: 8 }, () => refund(saleId, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    const { body: sale } = await refund(saleId, body);
    expect(sale).toMatchObject({ refundedAmount: 2500, reversedCommissionAmount: 500 });
  });

  it('with a known id but another amount, or for another sale, are a CONFLICT', async () => {
    const [saleId, other] = [await sell(app, referrer), await sell(app, referrer)];
    const refundId = unique('re');
    await refund(saleId, { refundId, amount: 2500 });
    const changed = await refund(saleId, { refundId, amount: 2501 });
    expect([changed.status, changed.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(changed.body.error.message).toContain('25.00 USD');
    expect((await refund(other, { refundId, amount: 2500 })).status).toBe(409);
    expect((await app.call('GET', `/api/sales/${other}`)).body).toMatchObject({ refundedAmount: 0, refunds: [] });
  });

  it('of more than was paid count as what was paid, and the sale says so', async () => {
    const saleId = await sell(app, referrer);
    await refund(saleId, { refundId: unique('re'), amount: 9000 });
    const { body } = await refund(saleId, { refundId: unique('re'), amount: 9000 });
    expect(body).toMatchObject({
      refundedAmount: 10_000,
      reversedCommissionAmount: 2000,
      note: 'refunds and lost disputes of 180.00 USD were reported, more than the 100.00 USD paid: counted as 100.00 USD',
    });
  });

  it('count once when the processor also reports them for the same payment', async () => {
    const customer = unique('user');
    await referrer.lead(customer);
    const stripe = await createEndpoint(app, 'stripe');
    const paymentIntent = unique('pi');
    await stripe.deliver(checkoutCompleted({ externalId: customer, amount: 10_000, paymentIntent }));
    const { body } = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    const saleId = body.data[0].id;
    await refund(saleId, { refundId: unique('re'), amount: 4000 });
    await stripe.deliver(chargeRefunded(paymentIntent, 10_000, 4000));
    const { body: sale } = await app.call('GET', `/api/sales/${saleId}`);
    expect(sale).toMatchObject({ refundedAmount: 4000, reversedCommissionAmount: 800 });
  });

  it.each(['the backend', 'the processor'])(
    'count once when the processor reports them under the same id, where the backend reported the sale and %s is first',
    async (first) => {
      const [invoiceId, refundId] = [unique('pi'), unique('re')];
      const customerExternalId = unique('user');
      await referrer.lead(customerExternalId);
      const sale = { customerExternalId, invoiceId, amount: 10_000, currency: 'usd' };
      const sold = await app.call('POST', '/api/sales', { body: sale });
      const stripe = await createEndpoint(app, 'stripe');
      const byBackend = () => app.call('POST', '/api/refunds', { body: { invoiceId, refundId, amount: 4000 } });
      const byProcessor = () => stripe.deliver(refundOf(invoiceId, refundId, 4000, 'succeeded'));
      for (const report of first === 'the backend' ? [byBackend, byProcessor] : [byProcessor, byBackend])
        await report();
      const again = await byBackend();
      const counted = {
        refunds: [{ id: refundId, amount: 4000 }],
        refundedAmount: 4000,
        reversedCommissionAmount: 800,
      };
      expect([again.status, again.body]).toMatchObject([200, { id: sold.body.sale.id, ...counted }]);
      await requireAgreement(app.service, app.accountId);
    },
  );

  it.each(['by the sale', 'by its invoice'])(
    'count, %s, when the processor reported them before under a name that nothing else has joined',
    async (by) => {
      const [customer, invoice, paymentIntent, refundId] = [unique('user'), unique('in'), unique('pi'), unique('re')];
      await referrer.lead(customer);
      const stripe = await createEndpoint(app, 'stripe');
      await stripe.deliver(invoicePaid({ externalId: customer, subscription: unique('sub'), amount: 10_000, invoice }));
      const { body } = await app.call('GET', `/api/sales?invoiceId=${invoice}`);
      await stripe.deliver(refundOf(paymentIntent, refundId, 4000, 'succeeded'));
      const report = (amount: number) => {
        if (by === 'by the sale') return refund(body.data[0].id, { refundId, amount });
        return app.call('POST', '/api/refunds', { body: { invoiceId: invoice, refundId, amount } });
      };
      const changed = await report(4001);
      expect([changed.status, changed.body.error.code]).toEqual([409, 'CONFLICT']);
      const answers = [await report(4000), await report(4000)];
      expect(answers.map(({ status }) => status)).toEqual([201, 200]);
      expect(answers[1]?.body).toMatchObject({ refundedAmount: 4000, reversedCommissionAmount: 800 });
      await stripe.deliver(refundOf(paymentIntent, unique('re'), 1000, 'succeeded'));
      expect((await report(4000)).body).toMatchObject({ refundedAmount: 5000, reversedCommissionAmount: 1000 });
    },
  );

  it.each([
    { refundId: 're', amount: 0 },
    { refundId: 're', amount: -5 },
    { refundId: 're', amount: 1.5 },
    { refundId: 're', amount: 1_000_000_000_001 },
    { refundId: '', amount: 5 },
    { amount: 5 },
    { refundId: 're' },
  ])('%j is a VALIDATION_ERROR', async (body) => {
    const saleId = await sell(app, referrer);
    const answer = await refund(saleId, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect((await app.call('GET', `/api/sales/${saleId}`)).body.refunds).toEqual([]);
  });

  describe('by the invoice of the sale', () => {
    const refundInvoice = (body: unknown) => app.call('POST', '/api/refunds', { body });
    const report = (path: string, body: object) => app.call('POST', path, { body: { amount: 10_000, ...body } });

    it("count once per refundId, even when also reported under the sale's id", async () => {
      const [customer, invoiceId] = [unique('user'), unique('order')];
      const clickId = await referrer.lead(customer);
      const sold = await report('/api/track/sale', { clickId, customerExternalId: customer, invoiceId });
      const saleId = sold.body.sale.id;
      const body = { refundId: unique('re'), amount: 2500 };
      const answers = await Promise.all(Array.from({ length: 4 }, () => refundInvoice({ invoiceId, ...body })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
      expect((await refund(saleId, body)).status).toBe(200);
      const changed = await refundInvoice({ invoiceId, ...body, amount: 2501 });
      expect([changed.status, changed.body.error.code]).toEqual([409, 'CONFLICT']);
      expect((await refundInvoice({ invoiceId, ...body })).body).toMatchObject({
        id: saleId,
        refundedAmount: 2500,
        reversedCommissionAmount: 500,
      });
    });

    it('wait with a payment that nobody has earned from yet, and reverse its commission then', async () => {
      const [customerExternalId, invoiceId] = [unique('user'), unique('order')];
      const parked = await report('/api/sales', { customerExternalId, invoiceId });
      const body = { invoiceId, refundId: unique('re'), amount: 2500 };
      for (const answer of [await refundInvoice(body), await refundInvoice(body)]) {
        expect([answer.status, answer.body]).toEqual([202, parked.body]);
      }
      await referrer.lead(customerExternalId);
      const { body: sales } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
      expect(sales.data).toMatchObject([{ refundedAmount: 2500, reversedCommissionAmount: 500 }]);
    });

    it('are refused in another currency than that of the sale or of the parked payment', async () => {
      const saleId = await sell(app, referrer);
      const [customerExternalId, invoiceId] = [unique('user'), unique('order')];
      await report('/api/sales', { customerExternalId, invoiceId });
      const body = { refundId: unique('re'), amount: 1250 };
      const refused = [
        await refund(saleId, { ...body, currency: 'JPY' }),
        await refundInvoice({ invoiceId, ...body, currency: 'JPY' }),
      ];
      const message = 'is jpy, but the payment is in usd: report the refund in its currency';
      for (const answer of refused) {
        expect([answer.status, answer.body.error.details]).toEqual([400, [{ path: 'currency', message }]]);
      }
      expect((await app.call('GET', `/api/sales/${saleId}`)).body.refunds).toEqual([]);
      await referrer.lead(customerExternalId);
      const { body: sales } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
      expect(sales.data).toMatchObject([{ refundedAmount: 0 }]);
      const counted = await refundInvoice({ invoiceId, ...body, currency: 'USD' });
      expect([counted.status, counted.body.refundedAmount]).toEqual([201, 1250]);
    });

    it.each(['the backend', 'the processor'])(
      'are not lost when the sale is reported in another currency than the payment that %s reported',
      async (first) => {
        const [customerExternalId, invoiceId] = [unique('user'), unique('in')];
        const stripe = await createEndpoint(app, 'stripe');
        if (first === 'the backend') await report('/api/sales', { customerExternalId, invoiceId });
        else await stripe.deliver(invoicePaid({ customer: unique('cus'), invoice: invoiceId, amount: 10_000 }));
        const refundId = unique('re');
        expect((await refundInvoice({ invoiceId, refundId, amount: 4000 })).status).toBe(202);
        const clickId = await referrer.click();
        const sale = { customerExternalId, invoiceId, currency: 'eur' };
        const refused = [await report('/api/sales', sale), await report('/api/track/sale', { ...sale, clickId })];
        const message = `is eur, but refund "${refundId}" of this invoice is recorded in usd: report both in one currency`;
        for (const { status, body } of refused) {
          expect([status, body.error.details]).toEqual([400, [{ path: 'currency', message }]]);
        }
        await report('/api/track/sale', { ...sale, clickId, currency: 'usd' });
        const { body: sales } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
        expect(sales.data).toMatchObject([{ currency: 'usd', refundedAmount: 4000, reversedCommissionAmount: 800 }]);
      },
    );

    it('reach a sale that a processor reported under this invoice', async () => {
      const [customer, paymentIntent] = [unique('user'), unique('pi')];
      await referrer.lead(customer);
      const stripe = await createEndpoint(app, 'stripe');
      await stripe.deliver(checkoutCompleted({ externalId: customer, amount: 10_000, paymentIntent }));
      const { status, body } = await refundInvoice({ invoiceId: paymentIntent, refundId: unique('re'), amount: 4000 });
      expect([status, body.refundedAmount]).toEqual([201, 4000]);
    });

    it('of an unknown invoice, or of another account, are NOT_FOUND', async () => {
      const other = await app.addAccount('Other');
      const [customerExternalId, invoiceId] = [unique('user'), unique('order')];
      await report('/api/sales', { customerExternalId, invoiceId });
      const body = { invoiceId, refundId: unique('re'), amount: 5 };
      const answers = [
        await refundInvoice({ ...body, invoiceId: 'unknown' }),
        await app.call('POST', '/api/refunds', { body, key: other.apiKey }),
      ];
      expect(answers.map(({ body }) => body.error.code)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    });
  });

  it('of a missing sale are NOT_FOUND', async () => {
    expect((await refund('sal_unknown', { refundId: 're', amount: 5 })).status).toBe(404);
  });
});
