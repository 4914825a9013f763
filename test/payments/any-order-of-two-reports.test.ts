import { capture, describeStories, facts, lead, MONEY_BACK, ONE_SALE } from '../helpers/arrivals.ts';
import { inTurn, saleByClick, saleOfCustomer } from '../helpers/backend-reports.ts';
import type { EndState } from '../helpers/end-state.ts';
import { referenced } from '../helpers/facts.ts';

/** The backend reports one payment under its intent, of which the processor reports the captured money, and its session. */
const atStripe = {
  lead,
  capture,
  joined: facts(referenced('pi_1', 'cs_1')),
  ...MONEY_BACK,
};
const netOf = (invoiceId: string) => ({ invoiceId });
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
    arrivals: { ...inTurn(saleByClick(netOf('cs_1')), saleByClick(totalOf('pi_1'))), ...atStripe },
    ends: ONE_SALE,
  },
  'the base under the session, then the total under the intent without a click': {
    arrivals: { ...inTurn(saleByClick(netOf('cs_1')), saleOfCustomer(totalOf('pi_1'))), ...atStripe },
    ends: ONE_SALE,
  },
  'the base under the intent, then the total under the session': {
    arrivals: { ...inTurn(saleByClick(netOf('pi_1')), saleByClick(totalOf('cs_1'))), ...atStripe },
    ends: ONE_SALE,
  },
  'the total under the session, then the base under the intent': {
    arrivals: { ...inTurn(saleByClick(totalOf('cs_1')), saleByClick(netOf('pi_1'))), ...atStripe },
    ends: SALE_OF_TOTAL,
  },
  'the total under the intent, then the base under the session': {
    arrivals: { ...inTurn(saleByClick(totalOf('pi_1')), saleByClick(netOf('cs_1'))), ...atStripe },
    ends: SALE_OF_TOTAL,
  },
  'the base under both, without a click under the intent': {
    arrivals: { sale: saleByClick(netOf('cs_1')), again: saleOfCustomer(netOf('pi_1')), ...atStripe },
    ends: ONE_SALE,
  },
  'the base under both, without a click and for somebody unknown under the intent': {
    arrivals: {
      sale: saleByClick(netOf('cs_1')),
      again: saleOfCustomer({ ...netOf('pi_1'), customerExternalId: 'bo' }),
      ...atStripe,
    },
    ends: ONE_SALE,
  },
  'the base under both without a click': {
    arrivals: { sale: saleOfCustomer(netOf('cs_1')), again: saleOfCustomer(netOf('pi_1')), ...atStripe },
    ends: ONE_SALE,
  },
});
