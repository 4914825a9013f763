import { ServiceError } from '../../src/errors.ts';
import { reportSale } from '../../src/payments/report-sale.ts';
import { customerSaleInput, saleInput } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { parseInput } from '../../src/schema/parse.ts';
import type { Arrivals } from './arrivals.ts';

export interface BackendReport {
  invoiceId: string;
  /** 100.00 by default, the base of the commission. */
  amount?: number;
  customerExternalId?: string;
  /** Stripe by default. */
  paymentProcessor?: string;
}

const OF_MIA = { customerExternalId: 'mia', amount: 10_000, currency: 'usd', paymentProcessor: 'stripe' };

/** A sale of Mia that the backend reports with her click; the invoice may already be known. */
export function saleByClick(report: BackendReport): Arrivals[string] {
  return (app, { accountId, clickId }) =>
    unlessKnown(trackSale(app.service, accountId, parseInput(saleInput, { ...OF_MIA, ...report, clickId })));
}

/** As `saleByClick`, without a click: parked before the lead. */
export function saleOfCustomer(report: BackendReport): Arrivals[string] {
  return (app, { accountId }) =>
    unlessKnown(reportSale(app.service, accountId, parseInput(customerSaleInput, { ...OF_MIA, ...report })));
}

/** Two reports that come in this order among themselves: of two counted sales, the first one stays. */
export function inTurn(first: Arrivals[string], second: Arrivals[string]): Arrivals {
  const turns = new Map<string, number>();
  const next: Arrivals[string] = async (app, account) => {
    const turn = turns.get(account.accountId) ?? 0;
    turns.set(account.accountId, turn + 1);
    await [first, second][turn]?.(app, account);
  };
  return { 'a report': next, 'the other report': next };
}

async function unlessKnown(report: Promise<unknown>): Promise<void> {
  await report.catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'DUPLICATE_INVOICE') throw error;
  });
}
