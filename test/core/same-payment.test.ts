import { describe, expect, it } from 'vitest';
import { mergeAwaited, mergeReports, withAwaited, withCaptured, withHintsOf } from '../../src/core/same-payment.ts';
import { hints, received } from '../helpers/facts.ts';

const ORDER = { eventName: 'Order', metadata: null };

describe('a payment that two deliveries report', () => {
  const session = received(['pi_1', 'cs_1'], hints({ externalId: 'mia', email: 'mia@example.com' }), {
    discountCodes: ['SPRING20'],
  });
  const invoice = received(
    ['in_1', 'pi_1'],
    hints({ externalId: 'mia', clickId: 'clk_1', processorCustomerId: 'cus_1' }),
    {
      grossMinor: 1,
      netMinor: 1,
      discountCodes: ['SPRING20', 'LAUNCH'],
    },
  );

  it('keeps the amounts and the invoice of the first, and merges what both say about the customer', () => {
    expect(withHintsOf(session, invoice)).toEqual({
      ...session,
      references: ['pi_1', 'cs_1', 'in_1'],
      customer: hints({ externalId: 'mia', clickId: 'clk_1', processorCustomerId: 'cus_1', email: 'mia@example.com' }),
      discountCodes: ['SPRING20', 'LAUNCH'],
    });
  });

  it('is unchanged when the same is reported again', () => {
    const once = withHintsOf(session, invoice);
    expect(JSON.stringify(withHintsOf(once, invoice))).toBe(JSON.stringify(once));
    expect(JSON.stringify(withHintsOf(session, session))).toBe(JSON.stringify(session));
  });

  it('is announced with the amounts of the first, and with what both say about the customer', () => {
    const announced = { ...session, kind: 'payment.announced' as const };
    const again = { ...invoice, kind: 'payment.announced' as const };
    const awaited = { captured: null, customer: null };
    const once = mergeAwaited({ announced, ...awaited }, { announced: null, ...awaited });
    expect(once).toEqual({ announced, ...awaited });
    expect(mergeAwaited(once, { announced: again, ...awaited })).toEqual({
      announced: { ...withHintsOf(session, invoice), kind: 'payment.announced' },
      ...awaited,
    });
    expect(mergeAwaited(once, once)).toEqual(once);
  });

  it("keeps the amounts and lines of the processor's earlier report, but never replaces the caller's", () => {
    const order = received(['order_1'], hints({}), { lines: { kit: 1 }, statedAt: 1 });
    const edited = received(['order_1'], hints({}), { grossMinor: 20_000, lines: { kit: 2 }, statedAt: 2 });
    expect(mergeReports(order, edited)).toEqual(order);
    expect(mergeReports(edited, order)).toEqual(order);
    const { netMinor } = order;
    const caller = { ...order, netMinor: netMinor - 1, order: { eventName: 'Order', metadata: null } };
    const { lines: _, statedAt: __, ...reported } = caller;
    const merged = { ...caller, order: { ...caller.order, isGrossReported: true, isTimeReported: true } };
    for (const [first, second] of [
      [order, edited],
      [edited, order],
    ] as const) {
      expect(mergeReports(mergeReports(reported, first), second)).toEqual(merged);
      expect(mergeReports(mergeReports(first, second), reported)).toEqual(merged);
    }
  });

  it('takes the total of the caller from what was captured first, but not once a processor has reported one', () => {
    const paid = received(['pi_1'], hints({}), { grossMinor: 10_000, taxMinor: 0 });
    const caller = { ...paid, order: { eventName: 'Order', metadata: null } };
    const capture = { amountMinor: 12_000, currency: 'usd', occurredAt: paid.occurredAt };
    const captured = withCaptured(caller, capture);
    expect(captured).toMatchObject({ grossMinor: 12_000, netMinor: 10_000, order: { isGrossReported: true } });
    expect(withCaptured(captured, { ...capture, amountMinor: 1 })).toBe(captured);
    for (const both of [mergeReports(caller, captured), mergeReports(captured, caller)]) expect(both).toEqual(captured);
    const reported = mergeReports(caller, paid);
    for (const payment of [reported, paid]) expect(withCaptured(payment, capture)).toBe(payment);
    const inEuro = { ...caller, order: { ...caller.order, isTimeReported: true } };
    expect(withCaptured(caller, { ...capture, currency: 'eur' })).toEqual(inEuro);
  });

  it("has the time of a processor's first report, and the caller's first until there is one", () => {
    const paid = (occurredAt: number) => received(['in_1'], hints({}), { occurredAt });
    const told = (occurredAt: number) => ({ ...paid(occurredAt), order: { eventName: 'Order', metadata: null } });
    const captured = withCaptured(told(5), { amountMinor: 12_000, currency: 'usd', occurredAt: 1 });
    for (const [reports, occurredAt] of [
      [[paid(1), told(5), paid(2)], 1],
      [[told(5), paid(1), paid(2), told(6)], 1],
      [[told(5), paid(2), paid(1)], 1],
      [[told(5), told(6), paid(7)], 7],
      [[told(6), mergeReports(told(5), paid(1)), paid(2)], 1],
      [[captured, told(6), paid(2)], 1],
      [[told(5), told(6)], 5],
    ] as const) {
      const merged = [...reports].reduce(mergeReports);
      expect(merged.occurredAt).toBe(occurredAt);
      for (const report of reports) expect(mergeReports(merged, report)).toEqual(merged);
    }
  });

  it("has the total of a complete report rather than a bare one, in the caller's currency only", () => {
    const full = received(['in_1'], hints({}), { grossMinor: 12_600, taxMinor: 2_100, shippingMinor: 500 });
    const bare = received(['in_1'], hints({}), { netMinor: 12_000, taxMinor: 0, isBare: true });
    const caller = { ...received(['in_1'], hints({}), { grossMinor: 10_000, taxMinor: 0 }), order: ORDER };
    const complete = { grossMinor: 12_600, netMinor: 10_000, taxMinor: 2_100, shippingMinor: 500 };
    for (const reports of [
      [caller, full, bare],
      [caller, bare, full],
      [full, bare, caller],
      [bare, full, caller],
    ]) {
      const merged = reports.reduce(mergeReports);
      expect(merged).toMatchObject(complete);
      expect(merged).not.toHaveProperty('isBare');
    }
    const inEuro = { ...caller, currency: 'eur' };
    for (const merged of [mergeReports(inEuro, full), mergeReports(full, inEuro)]) {
      expect(merged).toMatchObject({ currency: 'eur', grossMinor: 10_000, netMinor: 10_000, taxMinor: 0 });
    }
    const { order: _, ...bareInEuro } = { ...inEuro, isBare: true as const };
    expect(withHintsOf(bareInEuro, full)).toMatchObject({ currency: 'eur', grossMinor: 10_000, taxMinor: 0 });
  });

  it('keeps a total that differs from the net amount, of which earlier versions did not store whose it is', () => {
    const caller = { ...received(['pi_1'], hints({})), order: ORDER };
    const captured = withCaptured(caller, { amountMinor: 13_000, currency: 'usd', occurredAt: 1 });
    expect(captured).toMatchObject({ grossMinor: 12_000, netMinor: 10_000, occurredAt: 1 });
  });

  it('shares what was announced in proportion to what was paid, in its currency', () => {
    const announced = { ...received(['cs_1'], hints({})), kind: 'payment.announced' as const };
    const awaited = { announced, captured: null, customer: null };
    const bare = received(['pi_1'], hints({}), { grossMinor: 6_000, netMinor: 6_000, taxMinor: 0, isBare: true });
    expect(withAwaited(bare, awaited)).toMatchObject({ grossMinor: 6_000, netMinor: 5_000, taxMinor: 1_000 });
    const inEuro = { ...bare, currency: 'eur' };
    expect(withAwaited(inEuro, awaited)).toMatchObject({ grossMinor: 6_000, netMinor: 6_000, taxMinor: 0 });
  });

  it('prefers the first of two contradicting hints, and keeps the second as a further candidate', () => {
    const other = received(
      ['pi_1'],
      hints({ externalId: 'noor', processorCustomerId: 'cus_2', email: 'noor@example.com' }),
    );
    const { customer } = withHintsOf(invoice, other);
    expect(customer.externalIds.map(({ value }) => value)).toEqual(['mia', 'noor']);
    expect([customer.processorCustomerId, customer.email]).toEqual(['cus_1', 'noor@example.com']);
  });
});
