import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts } from '../helpers/earning.ts';
import { applyFacts, disputed, hints, received, refunded, refundUndone } from '../helpers/facts.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

const PAID_AT = Date.UTC(2026, 10, 1);
/** A time after the hold. */
const LATER = Date.UTC(2027, 0, 1);

describe.each(engines)('refunds and disputes, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let now = PAID_AT;
  let invoice: string;
  let discountCodes: string[];
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  beforeEach(async () => {
    now = PAID_AT;
    invoice = unique('in');
    discountCodes = [unique('CODE')];
    referrer = await createReferrer(app, { discountCodes });
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, app.accountId, ...facts);
  const pay = () => tell(received([invoice], hints({}), { discountCodes }));
  const refund = (refundId: string, amountMinor: number) => tell(refunded([invoice], { refundId, amountMinor }));
  const dispute = (state: 'open' | 'won' | 'lost', amountMinor = 12_000) =>
    tell(disputed([invoice], `dp_${invoice}`, amountMinor, state));
  const sale = async () => {
    const { data } = (await app.call('GET', `/api/sales?invoiceId=${invoice}`)).body;
    const { body } = await app.call('GET', `/api/sales/${data[0].id}`);
    return body;
  };
  const entries = async () => (await sale()).entries.map(({ kind, amount }: Record<string, unknown>) => [kind, amount]);
  const payOut = async () => {
    now = LATER;
    await runPayouts(app);
    const [payout] = await payoutsOf(app, referrer.partnerId, 'processing');
    await app.call('POST', `/api/payouts/${payout.id}/paid`);
  };

  it('a refund before its payment waits for it', async () => {
    await refund(unique('re'), 6_000);
    await pay();
    expect(await entries()).toEqual([
      ['commission', 2000],
      ['reversal', -1000],
    ]);
    expect(await sale()).toMatchObject({ status: 'pending', refundedAmount: 6_000, reversedCommissionAmount: 1000 });
  });

  describe('reported under several references that nothing else has joined', () => {
    const lostUnder = (name: string) => tell(disputed([name], `dp_${invoice}`, 12_000, 'lost'));

    it('a dispute opened by charge and lost by invoice is one dispute of one payment', async () => {
      const charge = unique('ch');
      await pay();
      await tell(disputed([charge], `dp_${invoice}`, 12_000, 'open'));
      expect(await lostUnder(invoice)).toMatchObject({ outcome: 'reversal', saleId: (await sale()).id });
      expect(await sale()).toMatchObject({ status: 'refunded', reversedCommissionAmount: 2000 });
      expect(await tell(disputed([charge], `dp_${unique('later')}`, 1, 'open'))).toMatchObject({
        saleId: (await sale()).id,
      });
    });

    it('a dispute opened by invoice and lost by charge reverses the sale', async () => {
      await pay();
      await dispute('open');
      expect(await lostUnder(unique('ch'))).toMatchObject({ outcome: 'reversal' });
      expect(await sale()).toMatchObject({ status: 'refunded', reversedCommissionAmount: 2000 });
    });

    it('a refund reported by charge, whose failure names the invoice, reverses nothing', async () => {
      const [charge, refundId] = [unique('ch'), unique('re')];
      await tell(refunded([charge], { refundId, amountMinor: 6_000 }));
      await pay();
      await tell(refundUndone([invoice], refundId, 6_000));
      expect(await sale()).toMatchObject({ status: 'pending', refundedAmount: 0, reversedCommissionAmount: 0 });
      await tell(refunded([charge], { refundId: unique('re'), amountMinor: 6_000 }));
      expect(await sale()).toMatchObject({ refundedAmount: 6_000, reversedCommissionAmount: 1000 });
    });

    it('two sales stay separate, and the report stays with the one that it named first', async () => {
      const other = unique('in');
      await pay();
      await tell(received([other], hints({}), { discountCodes }));
      await dispute('open');
      expect(await lostUnder(other)).toMatchObject({ outcome: 'reversal', saleId: (await sale()).id });
      expect(await sale()).toMatchObject({ status: 'refunded', reversedCommissionAmount: 2000 });
      const { data } = (await app.call('GET', `/api/sales?invoiceId=${other}`)).body;
      expect(data).toMatchObject([{ status: 'pending', reversedCommissionAmount: 0 }]);
    });

    it('even concurrently', async () => {
      await pay();
      const names = Array.from({ length: 10 }, () => unique('ch'));
      await Promise.all([invoice, ...names].map(lostUnder));
      expect(await sale()).toMatchObject({ status: 'refunded', reversedCommissionAmount: 2000 });
      expect((await entries()).filter(([kind]: [string]) => kind === 'reversal')).toEqual([['reversal', -2000]]);
      for (const name of names) {
        const { saleId } = await tell(refunded([name], { refundId: unique('re'), amountMinor: 1 }));
        expect(saleId).toBe((await sale()).id);
      }
    });
  });

  it('a full refund in any number of parts ends at exactly zero', async () => {
    await pay();
    for (const amountMinor of [1, 3_999, 4_001, 3_999]) await refund(unique('re'), amountMinor);
    expect(await sale()).toMatchObject({ status: 'refunded', refundedAmount: 12_000, reversedCommissionAmount: 2000 });
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({
      earned: 2000,
      reversed: 2000,
      held: 0,
      payable: 0,
    });
  });

  it('a failed refund restores what it reversed, once', async () => {
    await pay();
    const refundId = unique('re');
    await refund(refundId, 6_000);
    await tell(refundUndone([invoice], refundId, 6_000));
    await tell(refundUndone([invoice], refundId, 6_000));
    expect(await entries()).toEqual([
      ['commission', 2000],
      ['reversal', -1000],
      ['reversal', 1000],
    ]);
    expect(await sale()).toMatchObject({
      refundedAmount: 0,
      reversedCommissionAmount: 0,
      refunds: [{ status: 'failed' }],
    });
  });

  it('a failure that arrives before its refund reverses nothing', async () => {
    await pay();
    const refundId = unique('re');
    await tell(refundUndone([invoice], refundId, null));
    await refund(refundId, 6_000);
    expect(await entries()).toEqual([['commission', 2000]]);
  });

  it('a failure without a currency, before its refund, is shown in that of the sale', async () => {
    const refundId = unique('re');
    await tell({ ...refundUndone([invoice], refundId, null), currency: null });
    await pay();
    await refund(unique('re'), 3_000);
    const refunds = [{ id: refundId, amount: null, currency: 'usd', status: 'failed' }, { status: 'succeeded' }];
    expect((await sale()).refunds).toMatchObject(refunds.toReversed());
  });

  it('more than was paid counts as what was paid, with a note', async () => {
    await pay();
    await refund(unique('re'), 10_000);
    await refund(unique('re'), 10_000);
    const { refundedAmount, reversedCommissionAmount, note } = await sale();
    expect([refundedAmount, reversedCommissionAmount]).toEqual([12_000, 2000]);
    expect(note).toBe(
      'refunds and lost disputes of 200.00 USD were reported, more than the 120.00 USD paid: counted as 120.00 USD',
    );
  });

  it('an open dispute holds the commission, and a won one releases it', async () => {
    await pay();
    await dispute('open');
    expect(await sale()).toMatchObject({ status: 'disputed', refundedAmount: 0, reversedCommissionAmount: 0 });
    expect(
      (await runPayouts(app, { at: '2027-01-01', dryRun: true })).body.data.map(
        (line: { partnerId: string }) => line.partnerId,
      ),
    ).not.toContain(referrer.partnerId);
    await dispute('won');
    expect(await sale()).toMatchObject({ status: 'pending', reversedCommissionAmount: 0 });
    expect(await entries()).toEqual([
      ['commission', 2000],
      ['dispute_hold', -2000],
      ['dispute_release', 2000],
    ]);
  });

  it('a lost dispute reverses the commission', async () => {
    await pay();
    await dispute('open');
    await dispute('lost');
    expect(await sale()).toMatchObject({ status: 'refunded', refundedAmount: 12_000, reversedCommissionAmount: 2000 });
    expect(await entries()).toEqual([
      ['commission', 2000],
      ['dispute_hold', -2000],
      ['dispute_release', 2000],
      ['reversal', -2000],
    ]);
  });

  it('a refund during a dispute replaces its hold and is not counted twice', async () => {
    await pay();
    await dispute('open');
    await refund(unique('re'), 6_000);
    expect(await entries()).toEqual([
      ['commission', 2000],
      ['dispute_hold', -2000],
      ['dispute_release', 1000],
      ['reversal', -1000],
    ]);
    await dispute('lost');
    expect(await sale()).toMatchObject({ refundedAmount: 12_000, reversedCommissionAmount: 2000 });
  });

  it('after the payout, a partially refunded sale stays paid, and the debt is netted', async () => {
    await pay();
    await payOut();
    expect(await sale()).toMatchObject({ status: 'paid' });
    await refund(unique('re'), 3_000);
    expect(await sale()).toMatchObject({ status: 'paid', reversedCommissionAmount: 500 });
    expect(await payoutsOf(app, referrer.partnerId, 'queued')).toMatchObject([{ amount: -500, entryCount: 1 }]);
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ paid: 2000, payable: -500 });
  });

  it('a dispute after the payout is carried forward, and a won one cancels it out', async () => {
    await pay();
    await payOut();
    await dispute('open');
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ reversed: 2000, payable: -2000, paid: 2000 });
    await dispute('won');
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ reversed: 0, payable: 0, paid: 2000 });
    expect(await sale()).toMatchObject({ status: 'paid' });
  });

  it('reported again, nothing changes', async () => {
    await pay();
    const refundId = unique('re');
    for (let times = 0; times < 3; times += 1) {
      await pay();
      await refund(refundId, 6_000);
      await dispute('open', 3_000);
    }
    expect(await entries()).toEqual([
      ['commission', 2000],
      ['reversal', -1000],
      ['dispute_hold', -500],
    ]);
  });
});
