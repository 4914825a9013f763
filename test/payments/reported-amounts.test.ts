import { describe, expect, it } from 'vitest';
import type { Refund } from '../../src/payments/queries/refunds.ts';
import type { ReversibleSale } from '../../src/payments/queries/reversible-sales.ts';
import { reportedRefundsOf } from '../../src/payments/reported-amounts.ts';
import { asId } from '../helpers/ids.ts';

const AT = Date.UTC(2026, 10, 1);

/** 10.00 euros, for which the shopper paid 14.99 dollars. */
const SALE = {
  currency: 'eur',
  grossAmount: 1_000,
  presentmentCurrency: 'usd',
  presentmentAmount: 1_499,
  createdAt: AT,
} as ReversibleSale;

/** A refund in dollars as earlier versions stored it: they converted and rounded each one, and stored no lines. */
function booked(amount: number, changes: Partial<Refund> = {}): Refund {
  return {
    processor: 'shopify',
    refundKey: `re_${amount}`,
    paymentId: asId('pmt_1'),
    deliveryId: asId('dlv_1'),
    kind: 'refund',
    currency: 'usd',
    amount,
    commissionable: null,
    lines: null,
    chargeId: null,
    released: null,
    isByShare: false,
    failed: false,
    occurredAt: AT,
    refundedAt: AT,
    failedAt: null,
    ...changes,
  };
}

const amountsOf = (...refunds: Refund[]) =>
  reportedRefundsOf(SALE, refunds).map(({ amountMinor, isPresented }) => [amountMinor, isPresented ? 'usd' : 'eur']);

describe('refunds in the currency of the shopper that an earlier version booked', () => {
  it('stay rounded one by one until the shopper got everything back', () => {
    expect(amountsOf(booked(500), booked(500))).toEqual([
      [334, 'eur'],
      [334, 'eur'],
    ]);
    expect(amountsOf(booked(500), booked(999))).toEqual([
      [500, 'usd'],
      [999, 'usd'],
    ]);
  });

  it.each([
    ['failed', booked(999, { failed: true, failedAt: AT })],
    ['reported as a total', booked(1_499, { kind: 'cumulative' })],
    ['paid in the currency of the sale', booked(1_000, { currency: 'eur' })],
  ])('stay rounded beside one that was %s', (_what, other) => {
    expect(amountsOf(booked(500), other)[0]).toEqual([334, 'eur']);
  });

  it('are never rounded where this version has stored them', () => {
    expect(amountsOf(booked(500, { lines: [] }))).toEqual([[500, 'usd']]);
    expect(amountsOf(booked(500, { lines: [], currency: 'eur' }))).toEqual([[500, 'eur']]);
  });

  it('do not count in a third currency if only the caller reported them', () => {
    expect(amountsOf(booked(500, { currency: 'gbp', deliveryId: null }))).toEqual([]);
    expect(() => amountsOf(booked(500, { currency: 'gbp' }))).toThrow('in gbp of sale');
  });
});
