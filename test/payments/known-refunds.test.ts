import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import type { Fact } from '../../src/core/facts.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { listLedger } from '../../src/ledger/list.ts';
import { ledgerQuery } from '../../src/ledger/schemas.ts';
import { getSale } from '../../src/payments/lists/list-sales.ts';
import { reportRefund } from '../../src/payments/report-refund.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received, refunded } from '../helpers/facts.ts';
import { observeQueries } from '../helpers/observe-queries.ts';
import { saleOf } from './only-sale.ts';

const REFUNDS = 40;

const OF_PAYMENT = /FROM refunds WHERE payment_id = @paymentId/;

describe.each(engines)('a delivery that repeats the refunds of an order, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const refundsOf = (count: number): Fact[] =>
    Array.from({ length: count }, (_, nth) => refunded(['in_1'], { refundId: `re_${nth}`, amountMinor: 100 }));

  /** The service, and how many rows each of its queries for the refunds of a payment has read. */
  function countReads(): { service: Service; reads: number[] } {
    const reads: number[] = [];
    const service = observeQueries(app.service, (sql, result) => {
      if (OF_PAYMENT.test(sql)) reads.push((result as unknown[]).length);
    });
    return { service, reads };
  }

  /** Applies the facts as one delivery. Returns its outcome, and how many refunds each settling of the sale has read. */
  async function applyCounted(accountId: AccountId, facts: readonly Fact[]) {
    const { service, reads } = countReads();
    return { ...(await applyFacts(service, accountId, ...facts)), reads };
  }

  async function refundedOrder() {
    const account = await createReferredAccount(app.service);
    const { accountId } = account;
    await lead(app, account);
    await applyFacts(app.service, accountId, received(['in_1'], hints(MIA)));
    await applyFacts(app.service, accountId, ...refundsOf(REFUNDS));
    return account;
  }

  it('reads all of them once', async () => {
    const { accountId } = await refundedOrder();
    expect(await applyCounted(accountId, refundsOf(REFUNDS))).toMatchObject({
      outcome: 'duplicate',
      reason: 'already known',
      reads: [REFUNDS],
    });
  });

  it('if all of them are new, reads what was there before once', async () => {
    const account = await createReferredAccount(app.service);
    await lead(app, account);
    await applyFacts(app.service, account.accountId, received(['in_1'], hints(MIA)));
    expect(await applyCounted(account.accountId, refundsOf(REFUNDS))).toMatchObject({
      outcome: 'reversal',
      reads: [0],
    });
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: REFUNDS * 100 });
  });

  it('and adds one, reads them before and after it, and the new one gets an entry of its own', async () => {
    const account = await refundedOrder();
    const entries = async () => {
      const { data } = await listLedger(app.service, account.accountId, parseInput(ledgerQuery, { limit: '100' }));
      return data.length;
    };
    const before = { sale: await saleOf(app, account), entries: await entries() };
    const { outcome, reads } = await applyCounted(account.accountId, refundsOf(REFUNDS + 1));
    expect([outcome, reads]).toEqual(['reversal', [REFUNDS, REFUNDS + 1]]);
    const { refundedAmount } = await saleOf(app, account);
    expect([refundedAmount - before.sale.refundedAmount, (await entries()) - before.entries]).toEqual([100, 1]);
  });

  it('is followed by a report of the backend: all of them are read once to settle it, and once to show it', async () => {
    const account = await refundedOrder();
    const { accountId } = account;
    const { id } = await saleOf(app, account);
    const report = async (refundId: string) => {
      const { service, reads } = countReads();
      const { isNew } = await reportRefund(service, accountId, id, { refundId, amount: 100, currency: null });
      return { isNew, reads };
    };
    // under an id that is the beginning of the others
    expect(await report('re_')).toEqual({ isNew: true, reads: [REFUNDS, REFUNDS + 1] });
    expect(await report('backend_1')).toEqual({ isNew: true, reads: [0, REFUNDS + 2] });
    expect(await report('re_7')).toEqual({ isNew: false, reads: [] });
    const { service, reads } = countReads();
    expect((await getSale(service, accountId, id)).refunds).toHaveLength(REFUNDS + 2);
    expect(reads).toEqual([REFUNDS + 2]);
  });

  it('counts what they say besides: of which charge a refund is, which an earlier report did not say', async () => {
    const account = await createReferredAccount(app.service);
    await lead(app, account);
    const tell = (...facts: Fact[]) => applyFacts(app.service, account.accountId, ...facts);
    await tell(received(['in_1'], hints(MIA)));
    await tell(refunded(['in_1'], { refundId: 're_1', amountMinor: 3_000 }));
    await tell(refunded(['in_1'], { cumulativeAmountMinor: 5_000, chargeId: 'ch_2' }));
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 5_000 });
    const ofCharge = refunded(['in_1'], { refundId: 're_1', amountMinor: 3_000, chargeId: 'ch_1' });
    const { id: saleId } = await saleOf(app, account);
    expect(await tell(ofCharge, ofCharge)).toEqual({ outcome: 'reversal', reason: null, saleId });
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 8_000 });
  });

  it('counts what they say besides together with the new one that follows', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId } = account;
    await lead(app, account);
    await applyFacts(app.service, accountId, received(['in_1'], hints(MIA)));
    await applyFacts(app.service, accountId, refunded(['in_1'], { refundId: 're_1', amountMinor: 3_000 }));
    const ofCharge = refunded(['in_1'], { refundId: 're_1', amountMinor: 3_000, chargeId: 'ch_1' });
    const ofOther = refunded(['in_1'], { cumulativeAmountMinor: 5_000, chargeId: 'ch_2' });
    await applyFacts(app.service, accountId, ofCharge, ofOther);
    const { data } = await listLedger(app.service, accountId, parseInput(ledgerQuery, {}));
    // 20 % of 25.00 and of the share of 50.00, not of 20.00 first
    expect(data.map(({ amount }) => amount)).toEqual([-833, -500, 2_000]);
  });
});
