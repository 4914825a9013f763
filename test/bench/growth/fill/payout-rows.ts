/** The rows of payouts, with the amounts that the product itself would have stored. */
import { partnerOfSale, reversedOf } from './money-rows.ts';
import { ACCOUNT_ID, type Names, PROGRAM_ID } from './names.ts';
import type { TableRows, Value } from './rows.ts';
import { amountsOf, DAY_MS, PARTNERS, type Shape } from './shape.ts';

/** A paid payout for each partner and period that earned anything, and a queued one for every partner. */
export function payoutTables(shape: Shape, names: Names): TableRows[] {
  const paid = sumPeriods(shape);
  const started = ['amount', 'entry_count', 'processing_at', 'paid_at', 'ended_at', 'ended_by', 'processing_by'];
  return [
    {
      table: 'payouts',
      columns: ['id', 'account_id', 'program_id', 'partner_id', 'currency', 'status', 'created_at', ...started],
      rows: payoutRows(shape, names, paid),
    },
    {
      table: 'payout_entries',
      columns: ['payout_id', 'account_id', 'entry_id', 'live'],
      rows: payoutEntryRows(shape, names, paid),
    },
  ];
}

interface PeriodSums {
  amounts: Float64Array;
  counts: Uint32Array;
}

/** The sum of each partner's entries in each paid period, at index `period * PARTNERS + partner`. */
function sumPeriods(shape: Shape): PeriodSums {
  const cells = shape.paidPeriods * PARTNERS;
  const sums = { amounts: new Float64Array(cells), counts: new Uint32Array(cells) };
  for (let sale = 0; sale < shape.sales; sale++) {
    const period = shape.periodOf(sale);
    if (period >= shape.paidPeriods) break;
    const cell = period * PARTNERS + partnerOfSale(shape, sale);
    const reversed = shape.isRefunded(sale) ? reversedOf(sale) : null;
    sums.amounts[cell] = (sums.amounts[cell] as number) + amountsOf(sale).commission - (reversed ?? 0);
    sums.counts[cell] = (sums.counts[cell] as number) + (reversed === null ? 1 : 2);
  }
  return sums;
}

function* payoutRows(shape: Shape, names: Names, { amounts, counts }: PeriodSums): Generator<Value[]> {
  for (let period = 0; period <= shape.paidPeriods; period++) {
    for (let partner = 0; partner < PARTNERS; partner++) {
      const isQueued = period === shape.paidPeriods;
      const cell = period * PARTNERS + partner;
      if (!isQueued && amounts[cell] === 0) continue;
      const owner = [names.payout(period, partner), ACCOUNT_ID, PROGRAM_ID, names.partnerAt(partner), 'usd'];
      const startedAt = names.payoutRunAt(period);
      const paid = [startedAt, startedAt + DAY_MS, startedAt + DAY_MS, 'command line', 'schedule'];
      const outcome = isQueued ? Array<null>(7).fill(null) : [amounts[cell] as number, counts[cell] as number, ...paid];
      yield [...owner, isQueued ? 'queued' : 'paid', names.payoutQueuedAt(period, partner), ...outcome];
    }
  }
}

/** Holds the entries of one period in memory at a time. */
function* payoutEntryRows(shape: Shape, names: Names, { amounts }: PeriodSums): Generator<Value[]> {
  let sale = 0;
  for (let period = 0; period < shape.paidPeriods; period++) {
    const entries = Array.from({ length: PARTNERS }, (): string[] => []);
    for (; sale < shape.sales && shape.periodOf(sale) === period; sale++) {
      const own = entries[partnerOfSale(shape, sale)];
      own?.push(names.commissionEntry(sale));
      if (shape.isRefunded(sale)) own?.push(names.reversalEntry(sale));
    }
    for (const [partner, ids] of entries.entries()) {
      if (amounts[period * PARTNERS + partner] === 0) continue;
      const payout = names.payout(period, partner);
      for (const id of ids.sort()) yield [payout, ACCOUNT_ID, id, 1];
    }
  }
}
