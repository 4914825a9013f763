import { ServiceError } from '../../src/errors.ts';
import { saleInput } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { parseInput } from '../../src/schema/parse.ts';
import {
  type Arrivals,
  describeStories,
  facts,
  invoiceByCustomer,
  invoicePayment,
  lead,
  leadWith,
  MIA,
  MIA_AT_STRIPE,
  MONEY_BACK,
  ONE_SALE,
  type Story,
  sessionByIntent,
} from '../helpers/arrivals.ts';
import type { EndState } from '../helpers/end-state.ts';
import { applyFacts, hints, identified, received, referenced } from '../helpers/facts.ts';

/** The caller also reports the invoice, with the base of the commission; it may already be known. */
const apiSale: Arrivals[string] = async (app, { accountId, clickId }) => {
  const body = { clickId, customerExternalId: 'mia', amount: 10_000, invoiceId: 'in_1', paymentProcessor: 'stripe' };
  try {
    await trackSale(app.service, accountId, parseInput(saleInput, body));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'DUPLICATE_INVOICE') throw error;
  }
};

const SALE = { ...ONE_SALE.sales[0], refundedAmount: 0, reversedCommissionAmount: 0 } as EndState['sales'][number];
const TWO_SALES: EndState = { ...ONE_SALE, sales: [SALE, SALE], owed: 4_000 };
const renewal = facts(received(['in_2'], hints({ processorCustomerId: 'cus_mia' }), { recurring: true }));

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

describeStories(STORIES);
