import {
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
import { hints, identified, received } from '../helpers/facts.ts';

const CAPTURED = {
  kind: 'payment.captured',
  amountMinor: 12_000,
  currency: 'usd',
  occurredAt: Date.UTC(2026, 10, 1),
} as const;
const bareIntent = facts(received(CHARGE, hints(MIA), { netMinor: 12_000, taxMinor: 0, isBare: true }));

describeStories({
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
