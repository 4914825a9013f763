import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isUnderWay } from '../../src/core/payout.ts';
import { histories, PARTNERS } from '../helpers/histories.ts';
import { MoneyModel } from '../helpers/money-model.ts';

const RUNS = 10_000;

/** For every sale: 0 ≤ reversed ≤ commission ≤ amount, also when disputed holds are included. */
function requireSalesInBounds(model: MoneyModel): void {
  for (const { sale, amountMinor } of model.sales.values()) {
    const { commissionMinor, reversalMinor, holdMinor } = model.sumsOf(sale);
    const inBounds =
      reversalMinor <= 0 &&
      holdMinor <= 0 &&
      -reversalMinor - holdMinor <= commissionMinor &&
      commissionMinor <= amountMinor;
    if (!inBounds) throw new Error(`Sale ${sale}: ${commissionMinor} ${reversalMinor} ${holdMinor} of ${amountMinor}`);
  }
}

/** For every partner and currency, the ledger's sum is paid + payable + held, and also earned − reversed. */
function requireBalanced(model: MoneyModel): void {
  for (let partner = 0; partner < PARTNERS; partner += 1) {
    for (const { currency, earned, reversed, held, payable, paid } of model.earningsOf(partner)) {
      const sum = model.entries
        .filter((entry) => entry.partner === partner && entry.currency === currency)
        .reduce((total, entry) => total + entry.amountMinor, 0);
      if (sum !== held + payable + paid || sum !== earned - reversed) {
        throw new Error(
          `Partner ${partner} in ${currency}: ${sum}, and ${JSON.stringify({ earned, reversed, held, payable, paid })}`,
        );
      }
    }
  }
}

/**
 * No entry is in two payouts that are under way or paid, and the amount of each such payout is the sum of its entries.
 */
function requirePaidOnce(model: MoneyModel): void {
  const seen = new Set<object>();
  for (const { status, amountMinor, entries } of model.payouts) {
    const sum = entries.reduce((total, entry) => total + entry.amountMinor, 0);
    if (sum !== amountMinor || amountMinor <= 0) throw new Error(`A payout of ${amountMinor} with entries of ${sum}`);
    if (!isUnderWay(status) && status !== 'paid') continue;
    for (const entry of entries) {
      if (seen.has(entry)) throw new Error('An entry is paid twice');
      seen.add(entry);
    }
  }
}

it(`the invariants hold through ${RUNS} histories of terms, sales, refunds, disputes, decisions and payouts in any order`, () => {
  const met = { sales: 0, reversals: 0, holds: 0, paid: 0, held: 0, failed: 0, 'taken back after the payout': 0 };
  fc.assert(
    fc.property(histories, (history) => {
      const model = new MoneyModel(history);
      for (const step of history.steps) {
        model.apply(step);
        requireSalesInBounds(model);
        requireBalanced(model);
        requirePaidOnce(model);
      }
      met.sales += model.sales.size;
      met.reversals += model.entries.filter(({ kind }) => kind === 'reversal').length;
      met.holds += model.entries.filter(({ kind }) => kind === 'dispute_hold').length;
      met.paid += model.payouts.filter(({ status }) => status === 'paid').length;
      met.held += model.payouts.filter(({ status }) => status === 'held').length;
      met.failed += model.payouts.filter(({ status }) => status === 'failed').length;
      met['taken back after the payout'] += model.earningsOf(0).filter(({ payable }) => payable < 0).length;
      for (const { sale, grossMinor } of model.sales.values()) {
        model.apply({
          do: 'refund',
          sale,
          refund: 99,
          amountMinor: grossMinor,
          commissionableMinor: 0,
          lines: [],
          late: 0,
        });
        const { commissionMinor, reversalMinor, holdMinor } = model.sumsOf(sale);
        if (commissionMinor + reversalMinor !== 0 || holdMinor !== 0) throw new Error('A full refund leaves something');
      }
      requireBalanced(model);
    }),
    { numRuns: RUNS },
  );
  for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(RUNS / 20);
});
