import { ServiceError } from '../../src/errors.ts';
import { reportSale } from '../../src/payments/report-sale.ts';
import { customerSaleInput, saleInput } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { type Arrivals, describeStories, lead, type Story } from '../helpers/arrivals.ts';
import type { EndState } from '../helpers/end-state.ts';
import { applyFactsOf, referenced } from '../helpers/facts.ts';
import { editOf, type Money, ORDER_ID, orderOf, refundOf, sent, type Units } from '../helpers/shopify-orders.ts';

const KIT = 1;
const TRAY = 2;
const LAMP = 3;
/** 80.00 of goods; 91.40 with tax and shipping; a commission of 16.00. */
const PAID: Units[] = [
  [KIT, 2, 6_000],
  [TRAY, 1, 2_000],
];
/** After the payment, a lamp and a third kit were added. */
const EDITED: Units[] = [
  [KIT, 3, 9_000],
  [TRAY, 1, 2_000],
  [LAMP, 1, 3_000],
];

function ends(refundedAmount: number, reversedCommissionAmount: number): EndState {
  const sale = {
    customer: 'mia',
    amount: 8_000,
    grossAmount: 9_140,
    currency: 'eur',
    commissionAmount: 1_600,
    held: 0,
  };
  const status = refundedAmount === sale.grossAmount ? 'refunded' : 'pending';
  return {
    sales: [{ ...sale, status, refundedAmount, reversedCommissionAmount }],
    ofSecondRecords: 0,
    owed: 1_600 - reversedCommissionAmount,
    queuedPayouts: 1,
    parked: 0,
  };
}

/** Everything that Shopify sends about the order, with two kits and the lamp refunded one after the other. */
function told(money: Money): Arrivals {
  const lamp = refundOf(2, [[LAMP, 1, 3_000]], money);
  const kit = refundOf(3, [[KIT, 1, 3_000]], money);
  return {
    lead,
    created: sent('orders/create', orderOf(PAID, { financial_status: 'pending' })),
    paid: sent('orders/paid', orderOf(PAID)),
    'paid, redelivered': sent('orders/paid', orderOf(PAID, { updated_at: '2026-11-01T12:00:01Z' })),
    edited: sent(
      'orders/edited',
      editOf([
        [LAMP, 1],
        [KIT, 1],
      ]),
    ),
    'the lamp back': sent('refunds/create', lamp),
    'a kit back': sent('refunds/create', kit),
    updated: sent('orders/updated', orderOf(EDITED, { refunds: [lamp, kit] })),
    cancelled: sent('orders/cancelled', orderOf(EDITED, { cancelled_at: '2026-11-09T12:00:00Z' })),
  };
}

const lampBack = sent('refunds/create', refundOf(2, [[LAMP, 1, 3_000]], { paidBackIn: 'EUR' }));

const callersBody = {
  customerExternalId: 'mia',
  amount: 8_000,
  currency: 'eur',
  invoiceId: ORDER_ID,
  paymentProcessor: 'shopify',
};
/** The caller also reports the order, which may already be known. */
const apiSale: Arrivals[string] = ({ service }, { accountId, clickId }) =>
  unlessKnown(trackSale(service, accountId, parseInput(saleInput, { ...callersBody, clickId })));
const saleOfCustomer =
  (invoiceId: string): Arrivals[string] =>
  ({ service }, { accountId }) =>
    unlessKnown(reportSale(service, accountId, parseInput(customerSaleInput, { ...callersBody, invoiceId })));
const callersSale = saleOfCustomer(ORDER_ID);
/** The caller's own number of the order turns out to be Shopify's order. */
const names: Arrivals[string] = ({ service }, { accountId }) =>
  applyFactsOf('shopify', service, accountId, referenced(ORDER_ID, 'order_1'));

async function unlessKnown(reported: Promise<unknown>): Promise<void> {
  try {
    await reported;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'DUPLICATE_INVOICE') throw error;
  }
}

const euros: Money = { paidBackIn: 'EUR' };
const dollars: Money = { paidBackIn: 'USD' };
const everythingElse = (money: Money): Arrivals => ({
  'the other kits back': sent('refunds/create', refundOf(4, [[KIT, 2, 6_000]], money)),
  'the tray back, and the shipping': sent('refunds/create', refundOf(5, [[TRAY, 1, 2_000]], money, 500)),
});

/** Shopify might report an order as paid again when what was added is paid. */
const paidAgain = sent('orders/paid', orderOf(EDITED, { updated_at: '2026-11-02T12:00:00Z' }));

/** What was added is removed from the order again, and its price refunded. */
const undone: Arrivals = {
  lead,
  paid: sent('orders/paid', orderOf(PAID)),
  paidAgain,
  'paid, as at first': sent('orders/paid', orderOf(PAID, { updated_at: '2026-11-03T12:00:00Z' })),
  lamp: lampBack,
};

/** The lamp and a kit, for a fee of 10.80. */
const returned = {
  ...refundOf(
    2,
    [
      [LAMP, 1, 3_000],
      [KIT, 1, 3_000],
    ],
    euros,
  ),
  transactions: [{ kind: 'refund', status: 'success', amount: '54.00', currency: 'EUR' }],
  return: { id: 8 },
};

const STORIES: Record<string, Story> = {
  'an edited order that is reported as paid again, with everything given back but the shipping': {
    arrivals: {
      ...told(euros),
      ...everythingElse(euros),
      'the tray back, and the shipping': sent('refunds/create', refundOf(5, [[TRAY, 1, 2_000]], euros)),
      paidAgain,
    },
    ends: ends(8_640, 1_600),
  },
  'the same, with only what was added given back': {
    arrivals: { lead, paid: sent('orders/paid', orderOf(PAID)), paidAgain, lamp: lampBack },
    ends: ends(0, 0),
  },
  'the same, which the caller reports as well, with its click': {
    arrivals: { lead, apiSale, paid: sent('orders/paid', orderOf(PAID)), paidAgain, lamp: lampBack },
    ends: ends(0, 0),
  },
  'the same, which the caller reports as well, without a click': {
    arrivals: { lead, callersSale, paid: sent('orders/paid', orderOf(PAID)), paidAgain, lamp: lampBack },
    ends: ends(0, 0),
  },
  'the same, which the caller reports under a number of its own': {
    arrivals: {
      lead,
      callersSale: saleOfCustomer('order_1'),
      names,
      paid: sent('orders/paid', orderOf(PAID)),
      paidAgain,
      lamp: lampBack,
    },
    ends: ends(0, 0),
  },
  'an order whose edit is undone, reported as paid before it, with it and after it': {
    arrivals: undone,
    ends: ends(0, 0),
  },
  'an undone edit of an order that the caller reports as well': { arrivals: { ...undone, apiSale }, ends: ends(0, 0) },
  'an order that was edited after its payment, and refunds of what was added and of what was paid for': {
    arrivals: told(euros),
    ends: ends(3_240, 600),
  },
  'the same in the currency of the shopper': { arrivals: told(dollars), ends: ends(3_240, 600) },
  'the same, which the caller reports as well': { arrivals: { ...told(euros), apiSale }, ends: ends(3_240, 600) },
  'an edited order of which everything is given back, one thing after the other': {
    arrivals: { ...told(euros), ...everythingElse(euros) },
    ends: ends(9_140, 1_600),
  },
  'the same, partly in the currency of the shopper': {
    arrivals: { ...told(euros), ...everythingElse(dollars) },
    ends: ends(9_140, 1_600),
  },
  'an edited order of which everything is given back at once': {
    arrivals: {
      lead,
      paid: sent('orders/paid', orderOf(PAID)),
      'all back': sent('refunds/create', refundOf(2, EDITED, dollars, 500)),
    },
    ends: ends(9_140, 1_600),
  },
  'an edited order of which an addition and a paid item are returned at once, for a fee': {
    arrivals: {
      lead,
      paid: sent('orders/paid', orderOf(PAID)),
      returned: sent('refunds/create', returned),
      updated: sent('orders/updated', orderOf(EDITED, { refunds: [returned] })),
    },
    ends: ends(3_240, 600),
  },
  'only what was added is given back, which cost more than all that was paid for': {
    arrivals: {
      lead,
      apiSale,
      paid: sent('orders/paid', orderOf(PAID)),
      'sofa back': sent('refunds/create', refundOf(2, [[LAMP, 1, 90_000]], euros)),
      updated: sent('orders/updated', orderOf(EDITED, { refunds: [refundOf(2, [[LAMP, 1, 90_000]], euros)] })),
    },
    ends: ends(0, 0),
  },
};

describeStories(STORIES);
