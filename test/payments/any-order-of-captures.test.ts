import {
  afterRefundOf,
  CHARGE,
  describeStories,
  facts,
  invoiceByCustomer,
  invoicePayment,
  lead,
  MIA,
  MONEY_BACK,
  ONE_SALE,
  sessionByIntent,
} from '../helpers/arrivals.ts';
import { saleByClick, saleOfCustomer } from '../helpers/backend-reports.ts';
import type { EndState } from '../helpers/end-state.ts';
import { hints, identified, ofInvoice, received, referenced, refunded } from '../helpers/facts.ts';

const CAPTURED = {
  kind: 'payment.captured',
  amountMinor: 12_000,
  currency: 'usd',
  occurredAt: Date.UTC(2026, 10, 1),
} as const;
const bareIntent = facts(received(CHARGE, hints(MIA), { netMinor: 12_000, taxMinor: 0, isBare: true }));
const bareIntentOf = (id: string, grossMinor: number) =>
  facts(received([id], hints(MIA), { grossMinor, netMinor: grossMinor, taxMinor: 0, isBare: true }));

const announcement = facts({ ...received(['pi_1', 'cs_1'], hints(MIA)), kind: 'payment.announced' });
const capture = facts({ ...CAPTURED, references: CHARGE });

const AT_STRIPE = { processorCustomerId: 'cus_mia' };
const [SALE] = afterRefundOf(0).sales;
const TWO_SALES = { ...ONE_SALE, sales: [SALE, SALE], owed: 4_000 } as EndState;

describeStories({
  'a payment that is announced and captured, and that the caller reports with its click': {
    arrivals: { lead, sale: saleByClick({ invoiceId: 'pi_1' }), announcement, capture, ...MONEY_BACK },
    ends: ONE_SALE,
  },
  'the same payment, which the caller reports without a click': {
    arrivals: { lead, sale: saleOfCustomer({ invoiceId: 'pi_1' }), announcement, capture, ...MONEY_BACK },
    ends: ONE_SALE,
  },
  'the same payment, which the caller reports in both ways': {
    arrivals: {
      lead,
      sale: saleByClick({ invoiceId: 'pi_1' }),
      again: saleOfCustomer({ invoiceId: 'pi_1' }),
      announcement,
      capture,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'the same payment, which the caller reports as that of another processor': {
    arrivals: { lead, sale: saleByClick({ invoiceId: 'pi_1', paymentProcessor: 'shopify' }), announcement, capture },
    ends: afterRefundOf(0),
  },
  'the same payment, which the caller reports under its session': {
    arrivals: { lead, sale: saleByClick({ invoiceId: 'cs_1' }), announcement, capture, ...MONEY_BACK },
    ends: ONE_SALE,
  },
  'the same payment, which the caller reports without a click under its session': {
    arrivals: { lead, sale: saleOfCustomer({ invoiceId: 'cs_1' }), announcement, capture, ...MONEY_BACK },
    ends: ONE_SALE,
  },
  'the same payment, whose customer at Stripe only the announcement names, and the renewal': {
    arrivals: {
      sale: saleByClick({ invoiceId: 'pi_1' }),
      announcement: facts({ ...received(['pi_1', 'cs_1'], hints(AT_STRIPE)), kind: 'payment.announced' }),
      capture,
      renewal: facts(received(['in_2'], hints(AT_STRIPE), { recurring: true })),
    },
    ends: TWO_SALES,
  },
  'the same payment, whose customer at Stripe only its charge names, and the renewal': {
    arrivals: {
      sale: saleByClick({ invoiceId: 'pi_1' }),
      charge: facts({ kind: 'payment.referenced', references: CHARGE, customer: hints(AT_STRIPE) }),
      capture,
      renewal: facts(received(['in_2'], hints(AT_STRIPE), { recurring: true })),
    },
    ends: TWO_SALES,
  },
  'a payment that is captured, and that only the caller reports': {
    arrivals: {
      lead,
      sale: saleByClick({ invoiceId: 'pi_1' }),
      again: saleOfCustomer({ invoiceId: 'pi_1' }),
      capture,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'the same payment, which the caller reports with its click as that of another processor': {
    arrivals: { lead, sale: saleByClick({ invoiceId: 'pi_1', paymentProcessor: 'shopify' }), capture, ...MONEY_BACK },
    ends: ONE_SALE,
  },
  'the same payment, which the caller reports without a click as that of another processor': {
    arrivals: {
      lead,
      sale: saleOfCustomer({ invoiceId: 'pi_1', paymentProcessor: 'shopify' }),
      capture,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'a payment that is captured, and that the caller reports under its intent and, as another one, under its session': {
    arrivals: {
      lead,
      sale: saleByClick({ invoiceId: 'pi_1' }),
      another: saleOfCustomer({ invoiceId: 'cs_1' }),
      capture,
      joined: facts(referenced('pi_1', 'cs_1')),
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'a payment that is announced, captured later, and whose guest only its charge names': {
    arrivals: {
      lead,
      session: facts({ ...received(['pi_1', 'cs_1'], hints({})), kind: 'payment.announced' }),
      intent: facts({ ...CAPTURED, references: CHARGE }),
      charge: facts({ kind: 'payment.referenced', references: CHARGE, customer: hints(MIA) }),
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'a payment by a method that takes time: announced, captured by its intent, and paid by its session': {
    arrivals: {
      lead,
      session: facts({ ...received(['pi_1', 'cs_1'], hints(MIA)), kind: 'payment.announced' }),
      intent: facts({ ...CAPTURED, references: CHARGE }),
      paid: sessionByIntent,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'an invoice whose payment intent does not name it': {
    arrivals: {
      lead,
      intent: facts({ ...CAPTURED, references: CHARGE }),
      invoice: invoiceByCustomer,
      customer: facts(identified(hints({ ...MIA, processorCustomerId: 'cus_mia' }))),
      invoicePayment,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
  'an invoice that two payment intents paid, which are counted, and that the caller reports': {
    arrivals: {
      lead,
      sale: saleByClick({ invoiceId: 'in_1' }),
      again: saleOfCustomer({ invoiceId: 'in_1' }),
      intent: bareIntentOf('pi_1', 7_000),
      'intent 2': bareIntentOf('pi_2', 5_000),
      invoice: facts(received(['in_1'], hints(MIA))),
      invoicePayment,
      'invoicePayment 2': facts({ ...referenced('in_1', 'pi_2'), ...ofInvoice('in_1') }),
      refund: facts(refunded(['pi_2'], { refundId: 're_1', amountMinor: 3_000 })),
    },
    ends: afterRefundOf(3_000),
  },
  'a payment intent that is counted, and the session that knows what was sold': {
    arrivals: { lead, intent: bareIntent, session: sessionByIntent, ...MONEY_BACK },
    ends: ONE_SALE,
  },
  'a payment intent that is counted, its announcement, and the invoice that turns out to be the same payment': {
    arrivals: {
      lead,
      intent: bareIntent,
      announcement: facts({ ...received(['pi_1', 'cs_1'], hints(MIA)), kind: 'payment.announced' }),
      invoice: invoiceByCustomer,
      customer: facts(identified(hints({ ...MIA, processorCustomerId: 'cus_mia' }))),
      invoicePayment,
      ...MONEY_BACK,
    },
    ends: ONE_SALE,
  },
});
