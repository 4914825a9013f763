import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received, referenced, refunded, refundUndone } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

describe.each(engines)('a refund of a payment that waits, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let customer: string;
  let invoiceId: string;
  let refundId: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
  });
  beforeEach(() => {
    [customer, invoiceId, refundId] = [unique('user'), unique('pi'), unique('re')];
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, app.accountId, ...facts);
  const refund = (amount: number, invoice = invoiceId) =>
    app.call('POST', '/api/refunds', { body: { invoiceId: invoice, refundId, amount } });
  const report = (fields: Record<string, unknown>) =>
    app.call('POST', '/api/sales', {
      body: { customerExternalId: customer, invoiceId, amount: 10_000, currency: 'usd', ...fields },
    });
  const saleOf = async (invoice = invoiceId) => {
    const { body } = await app.call('GET', `/api/sales?invoiceId=${invoice}`);
    return (await app.call('GET', `/api/sales/${body.data[0].id}`)).body;
  };

  it('stays one when two deliveries state it in two currencies', async () => {
    await tell(refunded([invoiceId], { refundId, amountMinor: 3_000 }, 'eur'));
    await tell(refunded([invoiceId], { refundId, amountMinor: 2_500 }, 'gbp'));
    await referrer.lead(customer);
    await tell(received([invoiceId], hints({ externalId: customer }), { currency: 'eur' }));
    // a quarter of 120.00
    expect(await saleOf()).toMatchObject({ refundedAmount: 3_000, reversedCommissionAmount: 500 });
    expect((await refund(3_000)).status).toBe(200);
    expect((await saleOf()).refunds).toMatchObject([{ id: refundId, amount: 3_000, currency: 'eur' }]);
    await requireAgreement(app.service, app.accountId);
  });

  it('keeps the amount of the backend beside a failure that states none', async () => {
    expect((await report({ paymentProcessor: 'stripe' })).status).toBe(202);
    expect((await refund(4_000)).status).toBe(202);
    await tell({ ...refundUndone([invoiceId], refundId, null), currency: null });
    await referrer.lead(customer);
    expect(await saleOf()).toMatchObject({
      refundedAmount: 0,
      refunds: [{ id: refundId, amount: 4_000, status: 'failed' }],
    });
    expect((await refund(5_000)).status).toBe(409);
    expect((await refund(4_000)).status).toBe(200);
    await requireAgreement(app.service, app.accountId);
  });

  it.each([
    ['alone', []],
    ['beside another one in GBP', [{ refundId: unique('re'), amountMinor: 100 }]],
  ])('is the one that the processor states in the same currency %s', async (_, others) => {
    const invoice = unique('in');
    // the payment turns out to be a sale in USD
    await tell(received([invoice], hints({ externalId: customer })));
    await tell(received([invoiceId], hints({ externalId: customer }), { currency: 'eur' }));
    expect((await refund(12_000)).status).toBe(202);
    const inPounds = others.map((other) => refunded([invoiceId], other, 'gbp'));
    await tell(refunded([invoiceId], { refundId, amountMinor: 12_000 }, 'eur'), ...inPounds);
    await tell(referenced(invoice, invoiceId));
    await referrer.lead(customer);
    // nothing is left of what the delivery stated, which fails
    expect(await saleOf(invoice)).toMatchObject({ currency: 'usd', refundedAmount: 0, note: null, refunds: [] });
    await requireAgreement(app.service, app.accountId);
  });

  it('is stored although the backend gave its id to a refund of another processor as well', async () => {
    const other = unique('order');
    expect((await report({ invoiceId: other })).status).toBe(202);
    expect((await refund(1_000, other)).status).toBe(202);
    expect((await report({ paymentProcessor: 'stripe' })).status).toBe(202);
    expect((await refund(4_000)).status).toBe(202);
    const inPounds = refunded([invoiceId], { refundId, amountMinor: 3_000 }, 'gbp');
    expect(await tell(inPounds)).toMatchObject({ outcome: 'noted' });
    await referrer.lead(customer);
    expect(await saleOf(other)).toMatchObject({ refundedAmount: 1_000, reversedCommissionAmount: 200 });
    await requireAgreement(app.service, app.accountId);
  });
});
