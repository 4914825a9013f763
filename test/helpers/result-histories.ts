import fc from 'fast-check';

/** One event. Links, clicks, customers and payments have small numbers as names, so that events often concern the same one. */
export type ResultStep =
  | { do: 'click'; link: number }
  | { do: 'lead'; click: number; customer: number; event: number }
  | { do: 'api sale'; click: number; customer: number; payment: number | null; amountMinor: number }
  | { do: 'webhook sale'; payment: number; by: PaidBy; amountMinor: number; isBare: boolean }
  | { do: 'refund'; payment: number; refund: number; amountMinor: number }
  | { do: 'undone refund'; payment: number; refund: number }
  | { do: 'dispute'; payment: number; amountMinor: number; state: 'open' | 'won' | 'lost' }
  /** Two payments turn out to be the same. */
  | { do: 'join'; payment: number; other: number }
  | { do: 'hand over'; link: number; partner: number }
  | { do: 'pass'; ms: number };

/** What a webhook says about who paid. */
export type PaidBy = { customer: number } | { click: number } | { discountCode: number };

/** The first two partners share a program. */
export const RESULT_PARTNERS = 3;
export const RESULT_LINKS = 4;
export const PARTNER_OF_LINK = [0, 0, 1, 2];

/**
 * The currency of a payment and its refunds. The last payment is never joined with another, because its currency
 * differs.
 */
export const currencyOfPayment = (payment: number | null): string => (payment === 4 ? 'eur' : 'usd');

/** What a webhook says was paid; a bare report counts the tax as a part of the net amount. */
export function amountsOf({ amountMinor, isBare }: Extract<ResultStep, { do: 'webhook sale' }>) {
  const grossMinor = amountMinor + 100;
  if (isBare) return { grossMinor, netMinor: grossMinor, taxMinor: 0, isBare: true as const };
  return { grossMinor, netMinor: amountMinor, taxMinor: 100 };
}

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const link = fc.nat(RESULT_LINKS - 1);
const click = fc.nat(7);
const customer = fc.nat(3);
const payment = fc.nat(4);
const invoice = fc.option(payment);
const joinable = fc.nat(3);
const amountMinor = fc.integer({ min: 0, max: 5_000 });
const refund = fc.nat(1);

const kinds: [weight: number, step: fc.Arbitrary<ResultStep>][] = [
  [4, fc.record({ do: fc.constant('click'), link })],
  [3, fc.record({ do: fc.constant('lead'), click, customer, event: fc.nat(1) })],
  [3, fc.record({ do: fc.constant('api sale'), click, customer, payment: invoice, amountMinor })],
  [
    4,
    fc.record({
      do: fc.constant('webhook sale'),
      payment,
      by: fc.oneof(
        fc.record({ customer }),
        fc.record({ click }),
        fc.record({ discountCode: fc.nat(RESULT_PARTNERS - 1) }),
      ),
      amountMinor,
      isBare: fc.boolean(),
    }),
  ],
  [3, fc.record({ do: fc.constant('refund'), payment, refund, amountMinor })],
  [1, fc.record({ do: fc.constant('undone refund'), payment, refund })],
  [2, fc.record({ do: fc.constant('dispute'), payment, amountMinor, state: fc.constantFrom('open', 'won', 'lost') })],
  [3, fc.record({ do: fc.constant('join'), payment: joinable, other: joinable })],
  [1, fc.record({ do: fc.constant('hand over'), link, partner: fc.nat(1) })],
  [
    4,
    fc.record({
      do: fc.constant('pass'),
      ms: fc.oneof(
        fc.constantFrom(1, MINUTE_MS, HOUR_MS, DAY_MS - 1, DAY_MS),
        fc.integer({ min: 1, max: 3 * HOUR_MS }),
        fc.integer({ min: 1, max: 2 * DAY_MS }),
      ),
    }),
  ],
];

/**
 * One end of a period: none, the time of a step or a millisecond before or after it, or the hour or day that contains
 * it.
 */
export type PeriodEnd = { step: number; offsetMs: number; unitMs: number } | null;

const end: fc.Arbitrary<PeriodEnd> = fc.option(
  fc.record({
    step: fc.nat(40),
    offsetMs: fc.integer({ min: -1, max: 1 }),
    unitMs: fc.constantFrom(1, 1, HOUR_MS, DAY_MS),
  }),
);

export const resultHistories = fc.record({
  steps: fc.array(fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
    minLength: 25,
    maxLength: 45,
    size: 'max',
  }),
  periods: fc.array(fc.tuple(end, end), { minLength: 8, maxLength: 8 }),
});
