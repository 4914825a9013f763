import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moneyOf } from '../../adapters/stripe/money.ts';
import { CURRENCIES, currencyExponent } from '../../src/core/money.ts';
import { stripeAmountOf } from '../../src/rails/stripe/amount.ts';
import { stripe } from '../../src/rails/stripe/index.ts';

describe('an amount in Stripe’s unit', () => {
  it.each([
    [2_000, 'usd', 2_000],
    [2_000, 'jpy', 2_000],
    [500, 'isk', 50_000],
    [500, 'ugx', 50_000],
    [50_000, 'mga', 500],
    [5_120, 'kwd', 5_120],
    [1_050, 'huf', 1_050],
    [1, 'usd', 1],
    [99_999_999, 'usd', 99_999_999],
    // Stripe itself knows what it pays at most
    [123_456_789_012, 'huf', 123_456_789_012],
    [999_999, 'isk', 99_999_900],
    [9_999_999_900, 'mga', 99_999_999],
    [999_999_999_999, 'idr', 999_999_999_999],
  ])('%d %s is %d', (amountMinor, currency, amount) => {
    expect(stripeAmountOf(amountMinor, currency)).toEqual({ amount });
    expect(stripe.refusalOf({ shortId: 'P1', amount: amountMinor, currency }, { account: 'acct_1' })).toBeNull();
  });

  it.each([
    [0, 'usd', 'above zero'],
    [-1, 'usd', 'above zero'],
    [0.5, 'usd', 'above zero'],
    [2 ** 53, 'usd', 'above zero'],
    [50_001, 'mga', 'whole amounts in MGA'],
    [5_124, 'kwd', 'in KWD only if their last digit is 0'],
    [1_000_000_000_000, 'usd', 'at most 9999999999.99 USD at once'],
    [1_000_000_000_000, 'jpy', 'at most 999999999999 JPY at once'],
    [10_000_000_000, 'isk', 'at most 9999999999 ISK at once'],
    [100_000_000_000_000, 'mga', 'at most 999999999999.00 MGA at once'],
    [1_000_000_000_000, 'idr', 'at most 9999999999.99 IDR at once'],
    [1_000, 'iqd', 'does not pay in IQD'],
  ])('%d %s is refused', (amount, currency, reason) => {
    expect(stripeAmountOf(amount, currency)).toEqual({ problem: expect.stringContaining(reason) });
    const payment = { shortId: 'P1', amount, currency };
    expect(stripe.refusalOf(payment, { account: 'acct_1' })).toContain(reason);
  });

  it('is what a webhook of Stripe with this amount is read as', () => {
    const payment = fc.record({
      amountMinor: fc.integer({ min: 1, max: 10 ** 10 }),
      currency: fc.constantFrom(...CURRENCIES),
    });
    fc.assert(
      fc.property(payment, ({ amountMinor, currency }) => {
        const converted = stripeAmountOf(amountMinor, currency);
        if ('amount' in converted) expect(moneyOf(converted.amount, currency)).toMatchObject({ amountMinor });
      }),
      { numRuns: 2_000 },
    );
  });

  /** https://docs.stripe.com/currencies: every other currency has two decimals at Stripe. */
  it('has as many decimals as Stripe documents', () => {
    const ZERO = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ');
    const THREE = 'bhd jod kwd omr tnd'.split(' ');
    const decimalsAtStripe = (currency: string) => (ZERO.includes(currency) ? 0 : THREE.includes(currency) ? 3 : 2);
    for (const currency of CURRENCIES) {
      const exponent = currencyExponent(currency) ?? Number.NaN;
      const converted = stripeAmountOf(10 ** exponent, currency);
      const isRefused = 'problem' in converted && converted.problem.includes('does not pay in');
      if (!isRefused) expect(converted, currency).toEqual({ amount: 10 ** decimalsAtStripe(currency) });
    }
  });
});
