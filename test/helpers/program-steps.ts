import fc from 'fast-check';
import { step as moneyStep, type Step } from './histories.ts';

/** What happens in a referral program, over HTTP. People, payments and partners have small numbers, to meet often. */
export type ProgramStep =
  | { do: 'lead'; customer: number; partner: number; hasEmail: boolean }
  | { do: 'track'; customer: number; partner: number; payment: number; amount: number; hasInvoice: boolean }
  | { do: 'report'; customer: number; payment: number; amount: number }
  | { do: 'invoice'; customer: number; payment: number; amount: number; tax: number }
  | { do: 'checkout'; customer: number; payment: number; amount: number; tax: number }
  | { do: 'join'; payment: number }
  | { do: 'refunded charge'; payment: number; amount: number }
  | { do: 'refund'; payment: number; refund: number; amount: number; status: 'succeeded' | 'failed' }
  | { do: 'own refund'; payment: number; refund: number; amount: number }
  | { do: 'dispute'; payment: number; dispute: number; amount: number; status: 'needs_response' | 'won' | 'lost' }
  | { do: 'review'; sale: number; decision: 'approve' | 'reject' }
  | { do: 'attribute'; partner: number }
  | { do: 'archive'; partner: number; isBack: boolean }
  | { do: 'erase'; customer: number }
  | { do: 'terms'; durationMonths: number | null; rateBasisPoints: number; holdDays: number }
  | { do: 'end'; payout: number; end: 'paid' | 'failed' | 'cancel' }
  | { do: 'run' }
  | { do: 'pass'; days: number };

/** A step, or what a processor without payloads here would report. */
export type AnyStep = ProgramStep | { do: 'fact'; step: FactStep };

type FactStep = Extract<
  Step,
  { do: 'sale' | 'refund' | 'cumulative refund' | 'failed refund' | 'dispute' | 'adjustment' }
>;

const payment = fc.nat(2);
const customer = fc.nat(3);
const partner = fc.nat(1);
const amount = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1000, max: 90_000 }));
const as = <Name extends string>(name: Name) => fc.constant(name);

const programStep: fc.Arbitrary<ProgramStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: as('lead'), customer, partner, hasEmail: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: as('track'), customer, partner, payment, amount, hasInvoice: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: as('report'), customer, payment, amount }) },
  { weight: 3, arbitrary: fc.record({ do: as('invoice'), customer, payment, amount, tax: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ do: as('checkout'), customer, payment, amount, tax: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: as('join'), payment }) },
  { weight: 3, arbitrary: fc.record({ do: as('refunded charge'), payment, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: as('refund'),
      payment,
      refund: fc.nat(1),
      amount,
      status: fc.constantFrom('succeeded', 'failed'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: as('own refund'), payment, refund: fc.nat(1), amount }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: as('dispute'),
      payment,
      dispute: fc.nat(1),
      amount,
      status: fc.constantFrom('needs_response', 'won', 'lost'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: as('review'), sale: fc.nat(4), decision: fc.constantFrom('approve', 'reject') }),
  },
  { weight: 1, arbitrary: fc.record({ do: as('attribute'), partner }) },
  { weight: 1, arbitrary: fc.record({ do: as('archive'), partner, isBack: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: as('erase'), customer }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: as('terms'),
      durationMonths: fc.constantFrom(null, 0, 3),
      rateBasisPoints: fc.integer({ min: 0, max: 10_000 }),
      holdDays: fc.constantFrom(0, 30),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: as('end'), payout: fc.nat(2), end: fc.constantFrom('paid', 'failed', 'cancel') }),
  },
  { weight: 3, arbitrary: fc.record({ do: as('run') }) },
  { weight: 3, arbitrary: fc.record({ do: as('pass'), days: fc.integer({ min: 1, max: 40 }) }) },
);

const FACTS: readonly string[] = ['sale', 'refund', 'cumulative refund', 'failed refund', 'dispute', 'adjustment'];
const isFact = (step: Step): step is FactStep => FACTS.includes(step.do);

const anyStep: fc.Arbitrary<AnyStep> = fc.oneof(
  { weight: 3, arbitrary: programStep },
  { weight: 1, arbitrary: moneyStep.filter(isFact).map((step) => ({ do: 'fact' as const, step })) },
);

/** A history of a program. The steps of one moment are sent at once. */
export interface ProgramHistorySteps {
  selfReferral: 'off' | 'flag' | 'refuse';
  moments: AnyStep[][];
}

/** A delivery would be too old. */
const withoutTime = anyStep.filter((step) => step.do !== 'pass');

const moment = fc.oneof(
  { weight: 3, arbitrary: fc.array(anyStep, { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(withoutTime, { minLength: 2, maxLength: 3 }) },
);

export const programHistories: fc.Arbitrary<ProgramHistorySteps> = fc.record({
  selfReferral: fc.constantFrom('off', 'flag', 'refuse'),
  moments: fc.array(moment, { minLength: 20, maxLength: 45, size: 'max' }),
});
