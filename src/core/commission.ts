import { multiplyRatio } from './money.ts';
import type { Commission } from './terms.ts';
import { DAY_MS } from './time.ts';

/**
 * The terms applied to one sale. They are stored with the sale, so that a later change never alters what was earned.
 */
export interface SaleTerms {
  commission: Commission;
  /** Where the terms come from. The most specific source wins. */
  source: 'link' | 'partner' | 'program';
  durationMonths: number | null;
  holdDays: number;
  amountBasis: 'net' | 'gross';
  /** Set when the caller's backend reported the sale's amount. A processor's report never replaces that amount. */
  isCallersAmount?: true;
  /** Set when the gross amount is what a processor reported or captured, though it may equal the caller's amount. */
  isGrossReported?: true;
  /** Set when the sale was made, and earned its commission, before the account moved here. */
  isEarnedElsewhere?: true;
  /** What had been refunded of it by then, in minor units, if that service had lowered its amount and commission for it. */
  refundedElsewhere?: number;
  /** The commission that the sale was refused because of its time; `commission` is then none. */
  refused?: Commission;
  /** With `refused`: when the customer's first sale was made, as known when this one was recorded; null without one. */
  firstSaleAt?: number | null;
  /** Set when the sale was refused its commission, and earned it once a report of an earlier time came. */
  wasRefused?: true;
}

export interface CommissionedSale {
  /** Minor units, on the basis that the terms name (net or gross). */
  amountMinor: number;
  /** ISO 4217, lower case. */
  currency: string;
  occurredAt: number;
}

/** The commission in the terms of a sale that earns nothing, whatever its amount. */
export const NO_COMMISSION: Commission = { type: 'percentage', rateBasisPoints: 0 };

/** What a sale earned. */
export interface EarnedCommission {
  /** Minor units of the sale's currency. */
  amountMinor: number;
  /** For the trace. */
  reason: string;
  /** Set when the sale earns nothing, whatever its amount. */
  isRefused?: true;
}

/** 100 %. */
export const BASIS_POINTS_PER_WHOLE = 10_000;

/**
 * The commission of a sale in the sale's own minor units, and the reason for the trace.
 *
 * percentage: basis points of the amount, rounded half up. flat: the amount set for the currency, 0 when there is none.
 * Never more than the sale's amount. 0 after `durationMonths`: null never ends, 0 pays only the first sale, n pays
 * sales within n calendar months of the first.
 *
 * @param firstSaleAt epoch milliseconds of the customer's earliest stored sale; null when this is the first
 */
export function commissionFor(sale: CommissionedSale, terms: SaleTerms, firstSaleAt: number | null): EarnedCommission {
  if (firstSaleAt !== null && terms.durationMonths !== null) {
    if (terms.durationMonths === 0) return refused('only the first sale of a customer earns commission');
    if (sale.occurredAt >= addMonths(firstSaleAt, terms.durationMonths)) {
      return refused(`the customer's ${terms.durationMonths} months of commission are over`);
    }
  }
  const { commission } = terms;
  switch (commission.type) {
    case 'percentage': {
      const amountMinor = multiplyRatio(sale.amountMinor, commission.rateBasisPoints, BASIS_POINTS_PER_WHOLE);
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

/** The commission of a sale that earns nothing, whatever its amount. */
export function refused(reason: string): EarnedCommission {
  return { amountMinor: 0, reason, isRefused: true };
}

/**
 * Recomputes the commission of a stored sale for a corrected amount, under the terms of the original sale. A sale that
 * came too late to earn under those terms still earns nothing. Earlier versions stored its full terms, so that only its
 * commission tells.
 */
export function commissionAfter(
  sale: { amount: number; currency: string; commissionAmount: number; occurredAt: number },
  terms: SaleTerms,
  amountMinor: number,
): number {
  const { currency, occurredAt } = sale;
  const earned = (amount: number) =>
    commissionFor({ amountMinor: amount, currency, occurredAt }, terms, null).amountMinor;
  return sale.commissionAmount === earned(sale.amount) ? earned(amountMinor) : 0;
}

/** When a commission may be paid out, in epoch milliseconds; the hold starts at the payment. */
export function availableAt(occurredAt: number, holdDays: number): number {
  return occurredAt + holdDays * DAY_MS;
}

/** Adds calendar months in UTC; a day that the target month lacks becomes its last day. */
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
  return `${rateBasisPoints / 100}%`;
}
