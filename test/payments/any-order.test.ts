import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { leadInput } from '../../src/payments/customer-schemas.ts';
import { trackLead } from '../../src/payments/lead.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { saleInput } from '../../src/payments/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { type EndState, endStateOf } from '../helpers/end-state.ts';
import {
  applyFacts,
  disputed,
  hints,
  identified,
  received,
  referenced,
  refunded,
  refundUndone,
} from '../helpers/facts.ts';

/** One event that reaches the service, with a name for the report of a failing order. */
type Arrivals = Record<string, (app: TestApp, account: ReferredAccount) => Promise<unknown>>;

const MIA = { externalId: 'mia' };
const MIA_AT_STRIPE = { processorCustomerId: 'cus_mia', subscriptionId: 'sub_mia' };
const CHARGE = ['pi_1', 'ch_1'];

const facts =
  (...all: Parameters<typeof applyFacts> extends [unknown, unknown, ...infer Facts] ? Facts : never) =>
  (app: TestApp, { accountId }: ReferredAccount) =>
    applyFacts(app.service, accountId, ...all);

const leadWith =
  (fields: Record<string, unknown>): Arrivals[string] =>
  (app, { accountId, clickId }) =>
    trackLead(
      app.service,
      accountId,
      parseInput(leadInput, { clickId, eventName: 'Sign up', customerExternalId: 'mia', ...fields }),
    );
const lead = leadWith({});

/** The caller reports the invoice as well, with the base of the commission; it may already be known. */
const apiSale: Arrivals[string] = async (app, { accountId, clickId }) => {
  const body = { clickId, customerExternalId: 'mia', amount: 10_000, invoiceId: 'in_1', paymentProcessor: 'stripe' };
  try {
    await trackSale(app.service, accountId, parseInput(saleInput, body));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'DUPLICATE_INVOICE') throw error;
  }
};

/** 30.00 + 10.00 refunded, of which the 10.00 failed; 24.00 disputed and lost; 12.00 disputed and won. */
const MONEY_BACK: Arrivals = {
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
const ONE_SALE: EndState = {
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

interface Story {
  arrivals: Arrivals;
  /** Overrides of the default terms. */
  program?: Record<string, unknown>;
  ends: EndState;
}

const SALE = { ...ONE_SALE.sales[0], refundedAmount: 0, reversedCommissionAmount: 0 } as EndState['sales'][number];
const TWO_SALES: EndState = { ...ONE_SALE, sales: [SALE, SALE], owed: 4_000 };
const renewal = facts(received(['in_2'], hints({ processorCustomerId: 'cus_mia' }), { recurring: true }));
const sessionByIntent = facts(received(['pi_1', 'cs_1'], hints(MIA)));
const invoiceByCustomer = facts(received(['in_1'], hints({ processorCustomerId: 'cus_mia' })));
const invoicePayment = facts(referenced('in_1', 'pi_1'));

const STORIES: Record<string, Story> = {
  'a subscription: session, invoice, its payment, refunds, disputes, and the same invoice by API': {
    arrivals: {
      lead,
      apiSale,
      session: facts(referenced('in_1', 'cs_1'), identified(hints({ ...MIA, ...MIA_AT_STRIPE }))),
      invoice: facts(received(['in_1'], hints(MIA_AT_STRIPE))),
      invoicePayment,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'a purchase that session and invoice both tell of, under references that are joined last': {
    arrivals: {
      lead,
      session: sessionByIntent,
      invoice: invoiceByCustomer,
      customer: facts(identified(hints({ ...MIA, processorCustomerId: 'cus_mia' }))),
      invoicePayment,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'the same purchase, which the caller reports as well': {
    arrivals: {
      lead,
      apiSale,
      session: sessionByIntent,
      invoice: invoiceByCustomer,
      invoicePayment,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'a purchase that only its session tells of, and the caller under the name of its invoice': {
    arrivals: { lead, apiSale, session: sessionByIntent, invoicePayment, ...MONEY_BACK },
    ends: ONE_SALE,
  },
  'a payment whose customer is named by its second telling only': {
    arrivals: { lead, intent: facts(received(['pi_1', 'ch_1'], hints({}))), session: sessionByIntent, ...MONEY_BACK },
    ends: ONE_SALE,
  },
  'two tellings of one payment that are joined later, of which one names the customer': {
    arrivals: {
      lead,
      invoice: facts(received(['in_1'], hints({}))),
      session: sessionByIntent,
      invoicePayment,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'a payment known by the customer id of Stripe, which the caller reports, and its renewal': {
    arrivals: { apiSale, invoice: invoiceByCustomer, renewal },
    ends: TWO_SALES,
  },
  'a renewal whose first payment is told twice, once by customer id of Stripe and once by that of the caller': {
    arrivals: {
      lead,
      session: facts(received(['in_1', 'pi_1'], hints(MIA))),
      invoice: invoiceByCustomer,
      renewal,
    },
    ends: TWO_SALES,
  },
  'a payment attributed by e-mail address, and its renewal without one': {
    program: { emailMatching: true },
    arrivals: {
      lead: leadWith({ customerEmail: 'Mia@example.com' }),
      invoice: facts(received(['in_1'], hints({ processorCustomerId: 'cus_mia', email: 'mia@example.com' }))),
      renewal,
    },
    ends: TWO_SALES,
  },
  'a payment that names only the click, and its renewal by customer id of Stripe': {
    arrivals: {
      lead,
      session: (app, { accountId, clickId }) =>
        applyFacts(app.service, accountId, received(['pi_1'], hints({ clickId, processorCustomerId: 'cus_mia' }))),
      renewal,
    },
    ends: TWO_SALES,
  },
  'a payment by an e-mail address that Stripe told before or after it told whose it is': {
    program: { emailMatching: true },
    arrivals: {
      lead,
      address: facts(identified(hints({ processorCustomerId: 'cus_mia', email: 'mia@example.com' }))),
      customer: facts(identified(hints({ ...MIA, processorCustomerId: 'cus_mia' }))),
      payment: facts(received(['pi_9'], hints({ email: 'mia@example.com' }))),
    },
    ends: { ...ONE_SALE, sales: [SALE], owed: 2_000 },
  },
  'a payment by an e-mail address that only Stripe knew of the customer': {
    program: { emailMatching: true },
    arrivals: {
      lead,
      customer: facts(identified(hints({ ...MIA, processorCustomerId: 'cus_mia', email: 'mia@example.com' }))),
      payment: facts(received(['pi_9'], hints({ email: 'mia@example.com' }))),
      renewal,
    },
    ends: TWO_SALES,
  },
};

/** Every arrival once in some order, and some of them repeated anywhere. */
function ordersOf(names: string[]): fc.Arbitrary<string[]> {
  const again = fc.subarray(names, { maxLength: Math.min(4, names.length) });
  return again.chain((repeats) =>
    fc.shuffledSubarray([...names, ...repeats], { minLength: names.length + repeats.length }),
  );
}

const RUNS = { sqlite: 100, postgres: 10 };

describe.each(engines)('any order of arrival, with any repetition, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  it.each(Object.entries(STORIES))('leads to the same end: %s', async (_name, { arrivals, program, ends }) => {
    await fc.assert(
      fc.asyncProperty(ordersOf(Object.keys(arrivals)), async (order) => {
        const account = await createReferredAccount(app.service, program);
        for (const name of order) await arrivals[name]?.(app, account);
        expect(await endStateOf(app.service, account.accountId)).toEqual(ends);
      }),
      { numRuns: RUNS[engine] },
    );
  });
});
