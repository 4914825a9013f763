import { expect, it } from 'vitest';
import {
  expiryOfMerged,
  isExpired,
  type PaymentState,
  processorOfMerged,
  survivorFirst,
} from '../../src/core/payment.ts';

it.each([
  [null, 5, false],
  [5, 4, false],
  [5, 5, true],
  [5, 6, true],
])('a payment that expires at %s is expired at %i: %s', (expiresAt, now, expired) => {
  expect(isExpired({ expiresAt }, now)).toBe(expired);
});

it('of payments that turn out to be one, a sale survives before a parked and an awaited one, and the earliest of several', () => {
  const payment = (id: string, state: PaymentState, saleId: string | null = null) => ({ id, state, saleId });
  const survivors = [
    payment('pmt_6', 'counted', 'sal_1'),
    payment('pmt_1', 'counted', 'sal_2'),
    payment('pmt_4', 'parked'),
    payment('pmt_5', 'parked'),
    payment('pmt_3', 'awaited'),
    payment('pmt_2', 'joined'),
  ];
  expect(survivors.toReversed().sort(survivorFirst)).toEqual(survivors);
  expect(survivors.toSorted(survivorFirst)).toEqual(survivors);
});

it('a merged payment is of the processor that one of both names, the survivor first', () => {
  const [custom, stripe, paddle] = [{ processor: 'custom' }, { processor: 'stripe' }, { processor: 'paddle' }] as const;
  expect(processorOfMerged(stripe, paddle)).toBe('stripe');
  expect(processorOfMerged(custom, paddle)).toBe('paddle');
  expect(processorOfMerged(stripe, custom)).toBe('stripe');
});

it.each([
  [7, 5, 5],
  [5, 7, 5],
  [7, null, 7],
  [null, 7, null],
])('a payment that expires at %s, merged with one that expires at %s, expires at %s', (survivor, loser, merged) => {
  expect(expiryOfMerged({ expiresAt: survivor }, { expiresAt: loser })).toBe(merged);
});
