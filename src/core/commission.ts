import { multiplyRatio } from './money.ts';
import type { Commission } from './terms.ts';
import { DAY_MS } from './time.ts';

/** The terms that were applied to one sale; stored with it, so that a later change never alters what was earned. */
export interface SaleTerms {
  commission: Commission;
  /** Whose terms they are: the most specific wins. */
  source: 'link' | 'partner' | 'program';
  durationMonths: number | null;
  holdDays: number;
  amountBasis: 'net' | 'gross';
}

export interface CommissionedSale {
  /** Minor units, on the basis that the terms name. */
  amountMinor: number;
  /** ISO 4217, lower case. */
  currency: string;
  occurredAt: number;
}

const RATE_WHOLE_BASIS_POINTS = 10_000;

/**
 * The commission of a sale in the sale's own minor units, and the reason for the trace.
 *
 * percentage: basis points of the amount, rounded half up. flat: the currency's amount, 0 where it has none. Never
 * above the amount of the sale. 0 once `durationMonths` are over: null never ends, 0 pays the first sale only, n pays
 * sales before n calendar months after the first.
 *
 * @param firstSaleAt epoch milliseconds of the customer's earliest stored sale; null when this is the first
 */
export function commissionFor(
  sale: CommissionedSale,
  terms: SaleTerms,
  firstSaleAt: number | null,
): { amountMinor: number; reason: string } {
  if (firstSaleAt !== null && terms.durationMonths !== null) {
    if (terms.durationMonths === 0) return { amountMinor: 0, reason: 'only the first sale of a customer is paid for' };
    if (sale.occurredAt >= addMonths(firstSaleAt, terms.durationMonths)) {
      return { amountMinor: 0, reason: `the customer's ${terms.durationMonths} paid months are over` };
    }
  }
  const { commission } = terms;
  switch (commission.type) {
    case 'percentage': {
      const amountMinor = multiplyRatio(sale.amountMinor, commission.rateBasisPoints, RATE_WHOLE_BASIS_POINTS);
      return {
        amountMinor,
        reason: `${percent(commission.rateBasisPoints)} of the sale, terms of the ${terms.source}`,
      };
    }
    case 'flat': {
      const flat = commission.amounts[sale.currency];
      if (flat === undefined) return { amountMinor: 0, reason: `no flat commission is set for ${sale.currency}` };
      const amountMinor = Math.min(flat, sale.amountMinor);
      return { amountMinor, reason: `flat commission for ${sale.currency}, terms of the ${terms.source}` };
    }
  }
}

/** When a commission may be paid: the hold counts from the payment. */
export function availableAt(occurredAt: number, holdDays: number): number {
  return occurredAt + holdDays * DAY_MS;
}

/** Calendar months in UTC; a day that the month lacks becomes its last. */
function addMonths(epochMs: number, months: number): number {
  const from = new Date(epochMs);
  const target = new Date(epochMs);
  target.setUTCDate(1);
  target.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  target.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return target.getTime();
}

function percent(rateBasisPoints: number): string {
  return `${rateBasisPoints / 100} %`;
}
