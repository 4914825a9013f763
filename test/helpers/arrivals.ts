import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { trackLead } from '../../src/payments/lead.ts';
import { leadInput } from '../../src/payments/resources/customer-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from './account.ts';
import { createTestApp, type TestApp } from './app.ts';
import { engines } from './databases.ts';
import { type EndState, endStateOf } from './end-state.ts';
import { applyFacts, disputed, hints, ofInvoice, received, referenced, refunded, refundUndone } from './facts.ts';
import { requireAgreement } from './require-agreement.ts';
import { rounds } from './rounds.ts';

/** One event that reaches the service, with a name for the report of a failing order. */
export type Arrivals = Record<string, (app: TestApp, account: ReferredAccount) => Promise<unknown>>;

export const MIA = { externalId: 'mia' };
export const MIA_AT_STRIPE = { processorCustomerId: 'cus_mia', subscriptionId: 'sub_mia' };
export const CHARGE: [string, string] = ['pi_1', 'ch_1'];

export const facts =
  (...all: Fact[]) =>
  (app: TestApp, { accountId }: ReferredAccount) =>
    applyFacts(app.service, accountId, ...all);

export const leadWith =
  (fields: Record<string, unknown>): Arrivals[string] =>
  (app, { accountId, clickId }) =>
    trackLead(
      app.service,
      accountId,
      parseInput(leadInput, { clickId, eventName: 'Sign up', customerExternalId: 'mia', ...fields }),
    );
export const lead = leadWith({});

/** 30.00 + 10.00 refunded, of which the 10.00 failed; 24.00 disputed and lost; 12.00 disputed and won. */
export const MONEY_BACK: Arrivals = {
  'refund re_1': facts(refunded(CHARGE, { refundId: 're_1', amountMinor: 3_000 })),
  'refund re_2': facts(refunded(CHARGE, { refundId: 're_2', amountMinor: 1_000 })),
  'refund re_2 failed': facts(refundUndone(CHARGE, 're_2', 1_000)),
  'charge refunded 30.00': facts(refunded(CHARGE, { cumulativeAmountMinor: 3_000 })),
  'charge refunded 40.00': facts(refunded(CHARGE, { cumulativeAmountMinor: 4_000 })),
  'dispute du_1 opened': facts(disputed(CHARGE, 'du_1', 2_400, 'open')),
  'dispute du_1 lost': facts(disputed(CHARGE, 'du_1', 2_400, 'lost')),
  'dispute du_2 opened': facts(disputed(CHARGE, 'du_2', 1_200, 'open')),
  'dispute du_2 won': facts(disputed(CHARGE, 'du_2', 1_200, 'won')),
};

/** 20 % of 100.00; 54.00 of 120.00 was reversed, and with it 45 % of the commission. */
export const ONE_SALE: EndState = {
  sales: [
    {
      customer: 'mia',
      amount: 10_000,
      grossAmount: 12_000,
      currency: 'usd',
      commissionAmount: 2_000,
      status: 'pending',
      refundedAmount: 5_400,
      reversedCommissionAmount: 900,
      held: 0,
    },
  ],
  ofSecondRecords: 0,
  owed: 1_100,
  queuedPayouts: 1,
  parked: 0,
};

/** The same sale, of which only `refundedAmount` went back. */
export function afterRefundOf(refundedAmount: number, reversedCommissionAmount = refundedAmount / 6): EndState {
  const sales = ONE_SALE.sales.map((sale) => ({ ...sale, refundedAmount, reversedCommissionAmount }));
  return { ...ONE_SALE, sales, owed: 2_000 - reversedCommissionAmount };
}

export interface Story {
  arrivals: Arrivals;
  /** Overrides of the default terms. */
  program?: Record<string, unknown>;
  /** Fields of the partner, beside the name and address. */
  partner?: Record<string, unknown>;
  ends: EndState;
}

export const sessionByIntent = facts(received(['pi_1', 'cs_1'], hints(MIA)));
export const invoiceByCustomer = facts(received(['in_1'], hints({ processorCustomerId: 'cus_mia' })));
export const invoicePayment = facts({ ...referenced('in_1', 'pi_1'), ...ofInvoice('in_1') });

/** The money of the charge, 120.00 with tax. */
export const capture = facts({
  kind: 'payment.captured',
  references: CHARGE,
  amountMinor: 12_000,
  currency: 'usd',
  occurredAt: Date.UTC(2026, 10, 1),
});

/** Every arrival once in any order, with some of them repeated anywhere. */
export function ordersOf(names: string[]): fc.Arbitrary<string[]> {
  const again = fc.subarray(names, { maxLength: Math.min(4, names.length) });
  return again.chain((repeats) =>
    fc.shuffledSubarray([...names, ...repeats], { minLength: names.length + repeats.length }),
  );
}

const RUNS = { sqlite: rounds(100), postgres: rounds(10) };

export function describeStories(stories: Record<string, Story>): void {
  describe.each(engines)('any order of arrival, with any repetition, on %s', (engine) => {
    let app: TestApp;
    beforeAll(async () => {
      app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
    });
    afterAll(() => app.close());

    it.each(Object.entries(stories))(
      'leads to the same end: %s',
      async (_name, { arrivals, program, partner, ends }) => {
        await fc.assert(
          fc.asyncProperty(ordersOf(Object.keys(arrivals)), async (order) => {
            const account = await createReferredAccount(app.service, program, partner);
            for (const name of order) await arrivals[name]?.(app, account);
            expect(await endStateOf(app.service, account.accountId)).toEqual(ends);
            await requireAgreement(app.service, account.accountId);
          }),
          { numRuns: RUNS[engine] },
        );
      },
    );
  });
}
