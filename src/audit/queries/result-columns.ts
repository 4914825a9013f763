import { COMMISSION_LEFT } from './results.ts';
import { remainder, seed, times } from './weights.ts';

/** One number for what a row of sums per day counts, or what a lead or a sale adds to it; clicks are counted apart. */
export const columnsOf = (leads: string, sales: string, revenue: string, commission: string) =>
  remainder(
    [
      leads,
      times(remainder(sales), seed('second')),
      times(remainder(revenue), seed('third')),
      times(remainder(commission), seed('fourth')),
    ].join(' + '),
  );

/** Of the sums `r` of a day. */
export const STORED_COLUMNS = columnsOf('r.leads', 'r.sales', 'r.revenue', 'r.commission');
export const withClicks = (columns: string, clicks: string) =>
  remainder(`${times(remainder(clicks), seed('fifth'))} + ${columns}`);

export const OF_LEAD = '1';
const ifCounted = (value: string) => `CASE WHEN s.voided_reason IS NULL THEN ${value} ELSE 0 END`;
/** What the sale `s` adds to the sums of its day. */
export const OF_SALE = {
  sales: ifCounted('1'),
  revenue: ifCounted('s.amount'),
  commission: `CAST(${COMMISSION_LEFT} AS BIGINT)`,
};
