import { ServiceError } from '../../src/errors.ts';
import { reportSale } from '../../src/payments/report-sale.ts';
import { customerSaleInput, saleInput } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { type Arrivals, CHARGE, describeStories, facts, lead, MONEY_BACK, ONE_SALE } from '../helpers/arrivals.ts';
import type { EndState } from '../helpers/end-state.ts';
import { referenced } from '../helpers/facts.ts';

type Report = { invoiceId: string; amount: number; customerExternalId?: string };
type Arrival = Arrivals[string];

const withClick =
  (report: Report): Arrival =>
  (app, { accountId, clickId }) =>
    unlessKnown(trackSale(app.service, accountId, parseInput(saleInput, { ...OF_MIA, ...report, clickId })));
/** Parked before the lead. */
const withoutClick =
  (report: Report): Arrival =>
  (app, { accountId }) => {
    const body = { ...OF_MIA, ...report, currency: 'usd' };
    return unlessKnown(reportSale(app.service, accountId, parseInput(customerSaleInput, body)));
  };
const OF_MIA = { customerExternalId: 'mia', paymentProcessor: 'stripe' };

async function unlessKnown(report: Promise<unknown>): Promise<void> {
  await report.catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'DUPLICATE_INVOICE') throw error;
  });
}

/** Two arrivals that come in this order among themselves: of two counted sales, the first one stays. */
function inTurn(first: Arrival, second: Arrival): Arrivals {
  const turns = new Map<string, number>();
  const next: Arrival = async (app, account) => {
    const turn = turns.get(account.accountId) ?? 0;
    turns.set(account.accountId, turn + 1);
    await [first, second][turn]?.(app, account);
  };
  return { 'a report': next, 'the other report': next };
}

/** The backend reports one payment under its intent, of which the processor reports the captured money, and its session. */
const atStripe = {
  lead,
  capture: facts({
    kind: 'payment.captured',
    references: CHARGE,
    amountMinor: 12_000,
    currency: 'usd',
    occurredAt: Date.UTC(2026, 10, 1),
  }),
  joined: facts(referenced('pi_1', 'cs_1')),
  ...MONEY_BACK,
};
const netOf = (invoiceId: string) => ({ invoiceId, amount: 10_000 });
const totalOf = (invoiceId: string) => ({ invoiceId, amount: 12_000 });

/** 20 % of 120.00, of which 45 % was reversed. */
const SALE_OF_TOTAL: EndState = {
  ...ONE_SALE,
  sales: ONE_SALE.sales.map((sale) => ({
    ...sale,
    amount: 12_000,
    commissionAmount: 2_400,
    reversedCommissionAmount: 1_080,
  })),
  owed: 1_320,
};

describeStories({
  'the base of the commission under the session, then the total under the intent': {
    arrivals: { ...inTurn(withClick(netOf('cs_1')), withClick(totalOf('pi_1'))), ...atStripe },
    ends: ONE_SALE,
  },
  'the base under the session, then the total under the intent without a click': {
    arrivals: { ...inTurn(withClick(netOf('cs_1')), withoutClick(totalOf('pi_1'))), ...atStripe },
    ends: ONE_SALE,
  },
  'the base under the intent, then the total under the session': {
    arrivals: { ...inTurn(withClick(netOf('pi_1')), withClick(totalOf('cs_1'))), ...atStripe },
    ends: ONE_SALE,
  },
  'the total under the session, then the base under the intent': {
    arrivals: { ...inTurn(withClick(totalOf('cs_1')), withClick(netOf('pi_1'))), ...atStripe },
    ends: SALE_OF_TOTAL,
  },
  'the total under the intent, then the base under the session': {
    arrivals: { ...inTurn(withClick(totalOf('pi_1')), withClick(netOf('cs_1'))), ...atStripe },
    ends: SALE_OF_TOTAL,
  },
  'the base under both, without a click under the intent': {
    arrivals: { sale: withClick(netOf('cs_1')), again: withoutClick(netOf('pi_1')), ...atStripe },
    ends: ONE_SALE,
  },
  'the base under both, without a click and for somebody unknown under the intent': {
    arrivals: {
      sale: withClick(netOf('cs_1')),
      again: withoutClick({ ...netOf('pi_1'), customerExternalId: 'bo' }),
      ...atStripe,
    },
    ends: ONE_SALE,
  },
  'the base under both without a click': {
    arrivals: { sale: withoutClick(netOf('cs_1')), again: withoutClick(netOf('pi_1')), ...atStripe },
    ends: ONE_SALE,
  },
});
