import fc from 'fast-check';
import type { DisputeState } from '../../src/core/facts.ts';
import { multiplyRatio } from '../../src/core/money.ts';
import type { PayoutEnd } from '../../src/core/payout.ts';
import type { Commission } from '../../src/core/terms.ts';

/** One money event. Sales, refunds and disputes have small numbers as names, so that events often concern the same one. */
export type Step =
  | {
      do: 'sale';
      sale: number;
      partner: number;
      netMinor: number;
      taxMinor: number;
      bySelf: boolean;
      /** A bare report, which takes the total for the net amount; a later report that is not bare replaces its amounts. */
      isBare: boolean;
      /** Whether it names the lines of `PAID_LINES`. */
      isLined: boolean;
    }
  | {
      do: 'refund';
      sale: number;
      refund: number;
      amountMinor: number;
      commissionableMinor: number | null;
      lines: { line: number; quantity: number; tenths: number }[];
      late: number;
    }
  | { do: 'cumulative refund'; sale: number; amountMinor: number; late: number }
  | { do: 'failed refund'; sale: number; refund: number; amountMinor: number | null; late: number }
  | { do: 'dispute'; sale: number; dispute: number; amountMinor: number; state: DisputeState }
  | { do: 'review'; sale: number; decision: 'approved' | 'rejected' }
  | { do: 'adjustment'; partner: number; currency: string; amountMinor: number }
  | { do: 'terms'; commission: Commission; holdDays: number; amountBasis: 'net' | 'gross' }
  | { do: 'pass'; days: number }
  | { do: 'run' }
  | { do: 'hold'; payout: number }
  | { do: 'end'; payout: number; end: PayoutEnd };

export interface History {
  minimumPayout: Record<string, number>;
  selfReferral: 'off' | 'flag' | 'refuse';
  steps: Step[];
}

export const PARTNERS = 2;
const SALES_MAX = 4;

/** Fixed before the sale exists, because early reports of a payment use its currency. */
export const currencyOf = (sale: number): string => ['usd', 'jpy', 'kwd'][sale] ?? 'usd';

const sale = fc.nat(SALES_MAX - 1);
const partner = fc.nat(PARTNERS - 1);
const currency = fc.constantFrom('usd', 'jpy', 'kwd');
/** Small amounts, which show rounding, as often as large ones. */
const amountMinor = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 1_000_000_000_000 }));
/** How many hours before its delivery a report was created: later reports may arrive first. */
const late = fc.nat(500);
const commission: fc.Arbitrary<Commission> = fc.oneof(
  fc.record({ type: fc.constant('percentage' as const), rateBasisPoints: fc.integer({ min: 0, max: 10_000 }) }),
  fc.record({
    type: fc.constant('flat' as const),
    amounts: fc.constantFrom<Record<string, number>>({ usd: 500, jpy: 3 }, { kwd: 1 }, {}),
  }),
);

const sold = fc.record({
  do: fc.constant('sale' as const),
  sale,
  partner,
  netMinor: fc.oneof(amountMinor, fc.constant(0)),
  taxMinor: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1000 })),
  bySelf: fc.nat(3).map((number) => number === 0),
  isBare: fc.boolean(),
  isLined: fc.boolean(),
});

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: sold },
  {
    weight: 4,
    arbitrary: fc
      .record({
        do: fc.constant('refund' as const),
        sale,
        refund: fc.nat(2),
        amountMinor,
        late,
        part: fc.option(fc.nat(10)),
        lines: fc.array(fc.record({ line: fc.nat(2), quantity: fc.integer({ min: 1, max: 3 }), tenths: fc.nat(6) }), {
          maxLength: 2,
        }),
      })
      .map(({ part, ...refund }) => ({
        ...refund,
        commissionableMinor: part === null ? null : multiplyRatio(refund.amountMinor, part, 10),
      })),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cumulative refund' as const), sale, amountMinor, late }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('failed refund' as const),
      sale,
      refund: fc.nat(2),
      amountMinor: fc.option(amountMinor),
      late,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('dispute' as const),
      sale,
      dispute: fc.nat(1),
      amountMinor,
      state: fc.constantFrom('open', 'won', 'lost', 'returned'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('review' as const),
      sale,
      decision: fc.constantFrom('approved', 'rejected'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('adjustment' as const),
      partner,
      currency,
      amountMinor: fc.integer({ min: -5000, max: 5000 }).filter((amount) => amount !== 0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('terms' as const),
      commission,
      holdDays: fc.constantFrom(0, 7, 30),
      amountBasis: fc.constantFrom('net', 'gross'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), days: fc.integer({ min: 5, max: 45 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('run' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const), payout: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      payout: fc.nat(1),
      end: fc.constantFrom('paid', 'paid', 'failed', 'canceled'),
    }),
  },
);

/** Terms, sales, refunds, disputes, reviews, payouts and time in any order, even before the sale that they refer to. */
export const histories: fc.Arbitrary<History> = fc.record({
  minimumPayout: fc.constantFrom<Record<string, number>>({}, { usd: 1000, jpy: 2 }),
  selfReferral: fc.constantFrom('off', 'off', 'flag', 'refuse'),
  steps: fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }),
});
