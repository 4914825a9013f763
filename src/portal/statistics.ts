import type { EmbedSession } from '../app/embed-session.ts';
import type { Service } from '../app/service.ts';
import { DAY_MS, isoTime, type Period } from '../core/time.ts';
import { requireExact, validationError } from '../errors.ts';
import { noResults } from '../links/results.ts';
import { findStatistics, type IntervalResults } from '../results/statistics.ts';
import { requirePeriod } from '../schema/period-fields.ts';
import type { PortalInterval, PortalStatistics, PortalStatisticsQuery } from './schemas.ts';
import { requireShown } from './shown.ts';

const DAYS_MAX = 366;
const MONTHS_SHOWN = 12;
const DAYS_SHOWN = 30;

type Interval = PortalStatisticsQuery['interval'];
type Results = Omit<IntervalResults, 'start'>;

/**
 * The partner's clicks, leads and sales by day or month in UTC, earliest first, including empty intervals.
 *
 * @throws ServiceError `NOT_FOUND` when the program does not show statistics; `VALIDATION_ERROR` for a period that ends
 * before it starts, is longer than 366 days, or does not consist of whole days; `INVALID_STATE` when
 * a sum is beyond 2^53
 */
export async function getPortalStatistics(
  service: Service,
  session: EmbedSession,
  { interval, ...bounds }: PortalStatisticsQuery,
): Promise<PortalStatistics> {
  const { showEarnings } = await requireShown(service, session, 'showStats');
  const period = periodOf(bounds, interval, service.clock());
  const { accountId, partnerId } = session;
  const filters = { partnerId, programId: null, linkId: null };
  const found = await findStatistics(service, accountId, { ...filters, ...period, interval });
  const byStart = new Map(found.map((results) => [results.start, results]));
  const show = ({ clicks, leads, sales, revenue, earnedCommission }: Results) => ({
    clicks,
    leads,
    sales,
    revenue: showEarnings ? revenue : null,
    earnedCommission: showEarnings ? earnedCommission : null,
  });
  const data = startsOf(period, interval).map(
    (start): PortalInterval => ({ start, ...show(byStart.get(start) ?? noResults()) }),
  );
  return { interval, data, totals: show(found.reduce(addUp, noResults())) };
}

/** Whole days. The default ends with today. */
function periodOf(bounds: Period, interval: Interval, now: number): { from: number; to: number } {
  const to = bounds.to ?? (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const from = bounds.from ?? defaultStart(to, interval);
  requirePeriod({ from, to });
  if (to - from > DAYS_MAX * DAY_MS) {
    throw validationError([{ path: 'from', message: `must be at most ${DAYS_MAX} days before to` }]);
  }
  return { from, to };
}

function defaultStart(to: number, interval: Interval): number {
  if (interval === 'day') return to - DAYS_SHOWN * DAY_MS;
  const last = new Date(to - 1);
  return Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - MONTHS_SHOWN + 1);
}

/** The first day of each interval, such as `2026-11-01`. */
function startsOf({ from, to }: { from: number; to: number }, interval: Interval): string[] {
  const first = new Date(from);
  const starts: string[] = [];
  for (let count = 0; ; count += 1) {
    const start =
      interval === 'day' ? from + count * DAY_MS : Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + count);
    if (start >= to) return starts;
    starts.push(isoTime(start).slice(0, 10));
  }
}

function addUp(sum: Results, results: Results): Results {
  return {
    clicks: sum.clicks + results.clicks,
    leads: sum.leads + results.leads,
    sales: sum.sales + results.sales,
    revenue: addMoney(sum.revenue, results.revenue),
    earnedCommission: addMoney(sum.earnedCommission, results.earnedCommission),
  };
}

function addMoney(sum: Record<string, number>, amounts: Record<string, number>): Record<string, number> {
  const total = { ...sum };
  for (const [currency, amount] of Object.entries(amounts)) total[currency] = (total[currency] ?? 0) + amount;
  requireExact(Object.values(total));
  return total;
}
