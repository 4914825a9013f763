import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, disputed, hints, received, referenced, refunded } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

const NOW = Date.UTC(2026, 10, 4);

describe.each(engines)('a parked payment whose customer only another id of it names, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let now = NOW;
  let customer: string;
  let invoice: string;
  let intent: string;
  let refundId: string;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  beforeEach(async () => {
    now = NOW;
    [customer, invoice, intent, refundId] = [unique('user'), unique('in'), unique('pi'), unique('re')];
    referrer = await createReferrer(app);
    await referrer.lead(customer);
    await tell(received([invoice], hints({})));
    await tell({ ...referenced(intent), customer: hints({ externalId: customer }) });
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, app.accountId, ...facts);
  const refund = (...references: string[]) => refunded(references, { refundId, amountMinor: 1_200 });
  const salesOf = async () => {
    await requireAgreement(app.service, app.accountId);
    return (await app.call('GET', `/api/sales?partnerId=${referrer.partnerId}`)).body.data;
  };
  /** 20 % of 100.00, of which a tenth was taken back. */
  const SALE = { grossAmount: 12_000, commissionAmount: 2_000, refundedAmount: 1_200, reversedCommissionAmount: 200 };

  it('becomes a sale when a refund names both ids, which the refund reverses', async () => {
    const outcome = await tell(refund(invoice, intent));
    const sales = await salesOf();
    expect(sales).toMatchObject([{ invoiceId: invoice, ...SALE }]);
    expect(outcome).toMatchObject({ outcome: 'reversal', saleId: sales[0].id });
  });

  it('becomes a sale when several refunds in a delivery name both ids', async () => {
    const other = refunded([invoice, intent], { refundId: unique('re'), amountMinor: 1_200 });
    await tell(refund(invoice, intent), other);
    expect(await salesOf()).toMatchObject([{ ...SALE, refundedAmount: 2_400, reversedCommissionAmount: 400 }]);
  });

  it.each([['the invoice first'], ['the intent first']])(
    'becomes a sale when one refund is reported under each id, %s',
    async (order) => {
      const names = order === 'the invoice first' ? [invoice, intent] : [intent, invoice];
      for (const name of names) await tell(refund(name));
      expect(await salesOf()).toMatchObject([{ invoiceId: invoice, ...SALE }]);
    },
  );

  it('becomes a sale when your backend reports the refund that the processor has reported of the other id', async () => {
    await tell(refund(intent));
    const body = { invoiceId: invoice, refundId, amount: 1_200 };
    const { status, body: answer } = await app.call('POST', '/api/refunds', { body });
    expect(status).toBe(201);
    const sales = await salesOf();
    expect(sales).toMatchObject([{ invoiceId: invoice, ...SALE }]);
    expect(answer).toMatchObject({ id: sales[0].id, refundedAmount: 1_200 });
  });

  it('becomes a sale when a dispute names both ids', async () => {
    const disputeId = unique('dp');
    await tell(disputed([invoice, intent], disputeId, 1_200, 'open'));
    expect(await salesOf()).toMatchObject([{ invoiceId: invoice, commissionAmount: 2_000, status: 'disputed' }]);
    await tell(disputed([intent], disputeId, 1_200, 'lost'));
    expect(await salesOf()).toMatchObject([SALE]);
  });

  it('becomes a sale when one dispute is reported under each id', async () => {
    const disputeId = unique('dp');
    await tell(disputed([invoice], disputeId, 1_200, 'open'));
    await tell(disputed([intent], disputeId, 1_200, 'lost'));
    expect(await salesOf()).toMatchObject([{ invoiceId: invoice, ...SALE }]);
  });

  it('becomes a sale when its captured money names both ids', async () => {
    const references = [invoice, intent];
    await tell({ kind: 'payment.captured', references, amountMinor: 12_000, currency: 'usd', occurredAt: NOW });
    expect(await salesOf()).toMatchObject([{ invoiceId: invoice, grossAmount: 12_000, commissionAmount: 2_000 }]);
  });

  it('stays parked when it has expired', async () => {
    now = NOW + 91 * 86_400_000;
    await tell(refund(invoice, intent));
    expect(await salesOf()).toEqual([]);
  });
});
