import type { Answer } from '../../../parts/api.ts';
import { DAY_MS } from '../../../parts/time.ts';
import { exampleCommission } from './example-commission.ts';

const PRICE = 49_00;

/** Per month, the oldest first. */
const CLICKS = [18, 24, 21, 35, 42, 38, 51, 47, 63, 58, 72, 81];
const LEADS = [2, 3, 3, 5, 4, 6, 7, 5, 9, 8, 11, 12];
const SALES = [0, 1, 1, 2, 1, 3, 3, 2, 4, 4, 5, 6];

const SHOWN_SALES = [
  ['m…@example.com', 'pending', 2],
  ['k…@example.org', 'approved', 34],
  ['j…@example.net', 'paid', 71],
] as const;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().replace(/T.*/, 'T12:00:00.000Z');

/** What the API would return for a partner with a year of sales under these terms. */
export function examplesFor({
  commission,
  durationMonths,
  holdDays,
  minimumPayout,
  amountBasis,
}: Omit<Answer<'getPortalTerms'>, 'archivedAt'>) {
  const { currency, earned: each } = exampleCommission(commission, PRICE);
  const rules = { commission, durationMonths, holdDays, minimumPayout, amountBasis };
  const terms: Answer<'getPortalTerms'> = { ...rules, archivedAt: null };
  const money = (count: number, amount: number) => ({ [currency]: count * amount });
  const count = sum(SALES);
  const statistics: Answer<'getPortalStatistics'> = {
    interval: 'month',
    data: CLICKS.map((clicks, index) => ({
      start: monthsAgo(CLICKS.length - 1 - index),
      clicks,
      leads: LEADS[index] ?? 0,
      sales: SALES[index] ?? 0,
      revenue: money(SALES[index] ?? 0, PRICE),
      earnedCommission: money(SALES[index] ?? 0, each),
    })),
    totals: {
      clicks: sum(CLICKS),
      leads: sum(LEADS),
      sales: count,
      revenue: money(count, PRICE),
      earnedCommission: money(count, each),
    },
  };
  const [held, available, processing] = [5, 3, 0];
  const paid = count - held - available - processing;
  const balance = {
    currency,
    reversed: 0,
    held: held * each,
    available: available * each,
    processing: processing * each,
  };
  const earnings: Answer<'getPortalEarnings'> = { data: [{ ...balance, earned: count * each, paid: paid * each }] };
  const links: Answer<'listPortalLinks'> = {
    data: [
      {
        id: 'lnk_example',
        shortLink: `${location.origin}/ana`,
        url: location.origin,
        commission: null,
        clicks: sum(CLICKS),
        leads: sum(LEADS),
        sales: count,
        earnedCommission: money(count, each),
        createdAt: daysAgo(360),
      },
    ],
    nextCursor: null,
  };
  const sales: Answer<'listPortalSales'> = {
    data: SHOWN_SALES.map(([customer, status, days]) => ({
      id: `sal_${status}`,
      occurredAt: daysAgo(days),
      customer,
      amount: PRICE,
      currency,
      commissionAmount: each,
      reversedCommissionAmount: 0,
      status,
      reversalReason: null,
    })),
    nextCursor: null,
  };
  const payout = { currency, amount: 4 * each, status: 'paid', entryCount: 4 } as const;
  const payouts: Answer<'listPortalPayouts'> = {
    data: [40, 70].map((days) => ({
      ...payout,
      id: `pay_${days}`,
      startedAt: daysAgo(days),
      paidAt: daysAgo(days - 2),
    })),
    nextCursor: null,
  };
  const paidBy: Answer<'getPortalPayoutDetails'> = {
    payoutDetails: { rail: 'paypal', email: 'a…@example.com' },
    transferRails: [],
  };
  return { terms, statistics, earnings, links, sales, payouts, 'payout-details': paidBy };
}

/** The first day of the month `count` months ago, in UTC. */
function monthsAgo(count: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString().slice(0, 10);
}
