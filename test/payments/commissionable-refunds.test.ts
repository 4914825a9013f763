import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, disputed, hints, received, refunded, refundUndone } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, unique } from '../helpers/story.ts';

const MINUTE = 60_000;

describe.each(engines)('refunds that state what they refunded, on %s', (engine) => {
  let app: TestApp;
  let invoice: string;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  beforeEach(() => {
    invoice = unique('in');
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, app.accountId, ...facts);
  /** Goods of 100.00, shipping of 5.00, tax of 20 % on both; a commission of 20.00. */
  const pay = async () => {
    const discountCodes = [unique('CODE')];
    await createReferrer(app, { discountCodes });
    await tell(
      received([invoice], hints({}), { grossMinor: 12_600, taxMinor: 2_100, shippingMinor: 500, discountCodes }),
    );
  };
  const refund = (refundId: string, amountMinor: number, commissionableMinor?: number) => {
    const part = commissionableMinor === undefined ? {} : { commissionableMinor };
    return refunded([invoice], { refundId, amountMinor, ...part });
  };
  const later = <Told extends Fact & { occurredAt: number }>(fact: Told, minutes: number): Told => ({
    ...fact,
    occurredAt: fact.occurredAt + minutes * MINUTE,
  });
  const sale = async () => {
    const { data } = (await app.call('GET', `/api/sales?invoiceId=${invoice}`)).body;
    return (await app.call('GET', `/api/sales/${data[0].id}`)).body;
  };
  const taken = async () => {
    const { refundedAmount, reversedCommissionAmount } = await sale();
    await requireAgreement(app.service, app.accountId);
    return [refundedAmount, reversedCommissionAmount];
  };

  it('all goods returned and shipping kept takes the whole commission', async () => {
    await pay();
    await tell(refund(unique('re'), 12_000, 10_000));
    expect(await taken()).toEqual([12_000, 2000]);
    expect(await sale()).toMatchObject({ status: 'pending' });
  });

  it('shipping alone and tax alone take nothing, and the rest takes everything', async () => {
    await pay();
    await tell(refund(unique('re'), 600, 0), refund(unique('re'), 2_000, 0));
    expect(await taken()).toEqual([2_600, 0]);
    await tell(refund(unique('re'), 10_000, 10_000));
    expect(await taken()).toEqual([12_600, 2000]);
    expect(await sale()).toMatchObject({ status: 'refunded' });
  });

  it('half the goods, with a dispute in addition', async () => {
    await pay();
    await tell(refund(unique('re'), 6_000, 5_000), disputed([invoice], unique('dp'), 3_150, 'open'));
    expect(await taken()).toEqual([6_000, 1000]);
    expect((await sale()).entries.map(({ kind, amount }: Record<string, unknown>) => [kind, amount])).toEqual([
      ['commission', 2000],
      ['reversal', -1000],
      ['dispute_hold', -500],
    ]);
  });

  it('a refund that is reported without its part first is corrected by the report that states it', async () => {
    await pay();
    const refundId = unique('re');
    await tell(refund(refundId, 600));
    expect(await taken()).toEqual([600, 95]);
    await tell(refund(refundId, 600, 0));
    expect(await taken()).toEqual([600, 0]);
    await tell(refund(refundId, 600));
    expect(await taken()).toEqual([600, 0]);
  });

  it('refunded, undone and refunded again counts as refunded, in whichever order the reports arrive', async () => {
    const refundId = unique('re');
    const story = [
      refund(refundId, 6_000, 5_000),
      refundUndone([invoice], refundId, null),
      later(refund(refundId, 6_000, 5_000), 5),
    ];
    for (const order of [story, story.toReversed()]) {
      invoice = unique('in');
      const id = unique('re');
      await pay();
      for (const fact of order) {
        const named = { ...fact, references: [invoice] };
        await tell(
          named.kind === 'payment.refunded'
            ? { ...named, refund: { ...named.refund, refundId: id } }
            : { ...named, refundId: id },
        );
      }
      expect(await taken()).toEqual([6_000, 1000]);
      expect((await sale()).refunds).toMatchObject([{ status: 'succeeded' }]);
      await tell(later(refundUndone([invoice], id, null), 9));
      expect(await taken()).toEqual([0, 0]);
    }
  });

  it('when it is undone at the very moment of the refund, the refund holds', async () => {
    await pay();
    const refundId = unique('re');
    await tell(later(refundUndone([invoice], refundId, 6_000), -1), refund(refundId, 6_000));
    expect(await taken()).toEqual([6_000, 952]);
  });

  it('a failure is subtracted only from cumulative amounts that were reported before it', async () => {
    await pay();
    const cumulative = (amount: number) => refunded([invoice], { cumulativeAmountMinor: amount });
    await tell(cumulative(6_300), refundUndone([invoice], unique('re'), 3_150));
    expect(await taken()).toEqual([3_150, 500]);
    await tell(later(cumulative(6_200), 5));
    expect(await taken()).toEqual([6_200, 984]);
  });

  it('a repeated report by API never revives a refund that failed', async () => {
    await pay();
    const { id } = await sale();
    const body = { refundId: unique('R'), amount: 6_300 };
    expect((await app.call('POST', `/api/sales/${id}/refunds`, { body })).status).toBe(201);
    const failure = refundUndone([invoice], body.refundId, null);
    await tell({ ...failure, occurredAt: Date.UTC(2100, 0, 1) });
    expect((await app.call('POST', `/api/sales/${id}/refunds`, { body })).status).toBe(200);
    expect(await taken()).toEqual([0, 0]);
  });

  it.each([
    ['a third', 10_000, 113_700, 3],
    ['a half', 10_001, 2_000, 2],
    ['a seventh', 99_999, 7_000, 7],
  ])(
    'refunds of %s each, in the currency of the shopper, are a refund of everything',
    async (_, gross, shopper, parts) => {
      const discountCodes = [unique('CODE')];
      await createReferrer(app, { discountCodes });
      const presentment = { currency: 'sek', grossMinor: shopper };
      await tell(received([invoice], hints({}), { grossMinor: gross, presentment, discountCodes }));
      const refunds = Array.from({ length: parts }, (_, part) => {
        const amountMinor = Math.floor((shopper * (part + 1)) / parts) - Math.floor((shopper * part) / parts);
        return { ...refunded([invoice], { refundId: unique('re'), amountMinor }), currency: 'sek' };
      });
      await tell(...refunds);
      expect(await taken()).toEqual([gross, 2_000]);
      expect(await sale()).toMatchObject({ status: 'refunded', note: null });
    },
  );

  it('each chargeback of a payment is a dispute, and a repayment releases its own amount', async () => {
    await pay();
    const [first, second] = [unique('adj'), unique('adj')];
    await tell(disputed([invoice], first, 6_300, 'lost'), disputed([invoice], second, 3_150, 'lost'));
    expect(await taken()).toEqual([9_450, 1500]);
    await tell(disputed([invoice], unique('adj'), 3_150, 'returned'));
    expect(await taken()).toEqual([6_300, 1000]);
    await tell(later(disputed([invoice], second, 3_150, 'won'), 5));
    expect(await taken()).toEqual([6_300, 1000]);
  });

  it('a dispute that an earlier version stored under its payment is the same one under its own id', async () => {
    await pay();
    await tell(disputed([invoice], invoice, 6_300, 'lost'));
    const named = { ...disputed([invoice], unique('adj'), 6_300, 'lost'), earlierId: invoice };
    await tell(named);
    expect(await taken()).toEqual([6_300, 1000]);
    await tell({ ...disputed([invoice], unique('adj'), 3_150, 'lost'), earlierId: invoice });
    expect(await taken()).toEqual([9_450, 1500]);
    await tell(later({ ...named, state: 'won' }, 5));
    expect(await taken()).toEqual([3_150, 500]);
  });

  it('a chargeback that was opened after the one that an earlier version stored is another one, in any order', async () => {
    for (const order of ordersOf(['reversed', 'repaid', 'another'] as const)) {
      invoice = unique('in');
      const stored = disputed([invoice], invoice, 6_300, 'lost');
      const same = { ...stored, disputeId: unique('adj'), earlierId: invoice, openedAt: stored.occurredAt - 1_000 };
      const reports = {
        // the processor reports twice that the money came back
        reversed: later({ ...same, state: 'won' as const }, 20),
        repaid: later(disputed([invoice], unique('adj'), 6_300, 'returned'), 19),
        another: { ...later(same, 10), disputeId: unique('adj'), openedAt: same.openedAt + 10 * MINUTE },
      };
      await pay();
      await tell(stored);
      for (const [place, name] of order.entries()) {
        await tell(reports[name]);
        const told = order.slice(0, place + 1);
        const lost = (told.includes('another') ? 2 : 1) - (told.some((one) => one !== 'another') ? 1 : 0);
        expect(await taken(), told.join()).toEqual([lost * 6_300, lost * 1000]);
      }
    }
  });
});

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => ordersOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}
