import fc from 'fast-check';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Most events, each as often as it is listed. */
const KINDS = [
  ...['click', 'click', 'click', 'click', 'lead', 'lead', 'lead'],
  ...['sale', 'sale', 'sale', 'sale', 'webhook', 'webhook', 'webhook', 'webhook', 'webhook', 'invoice'],
  ...['refund', 'refund', 'failed refund', 'total refund', 'api refund', 'api refund', 'dispute', 'dispute', 'dispute'],
  ...['join', 'review', 'review', 'review', 'adjust', 'adjust', 'attribute', 'attribute'],
  ...['pass', 'pass', 'pass', 'pass', 'run', 'run', 'run', 'end', 'end', 'end', 'file'],
  ...['hand over', 'archive', 'restore', 'terms', 'erase', 'import sales', 'import commissions'],
] as const;

export type Kind = (typeof KINDS)[number];

/** One event. What the numbers name depends on the kind; they are small, so that events often concern the same thing. */
export interface Step {
  do: Kind;
  /** A link, partner or payout. */
  one: number;
  /** A customer or refund. */
  other: number;
  payment: number;
  amountMinor: number;
  /** How far the clock moves. */
  ms: number;
  /** Of several ways, one. */
  way: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...KINDS),
  one: fc.nat(3),
  other: fc.nat(2),
  payment: fc.oneof(fc.nat(2), fc.nat(7)),
  amountMinor: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 20_000 })),
  ms: fc.oneof(
    fc.nat(HOUR_MS),
    fc.nat(3 * DAY_MS),
    fc.integer({ min: 5, max: 20 }).map((days) => days * DAY_MS),
    fc.constantFrom(MINUTE_MS, HOUR_MS, DAY_MS),
  ),
  way: fc.nat(3),
});

/** A period of the lists, from the beginning of the history. */
const end = fc.option(fc.record({ step: fc.nat(40), offsetMs: fc.constantFrom(-1, 0, 1), isDay: fc.boolean() }), {
  freq: 4,
});

export type PeriodEnd = typeof end extends fc.Arbitrary<infer End> ? End : never;

/** What happens to an account, and the periods and filters by which its lists are read afterwards. */
export const shownHistories = fc.record({
  steps: fc.array(step, { minLength: 30, maxLength: 60, size: 'max' }),
  periods: fc.array(fc.tuple(end, end), { minLength: 2, maxLength: 3 }),
  /** Which filters are combined. */
  picks: fc.array(fc.tuple(fc.nat(999), fc.nat(999)), { minLength: 15, maxLength: 15 }),
});
