import type { EmbedSession } from '../app/embed-session.ts';
import type { Service } from '../app/service.ts';
import { DAY_MS, type Period } from '../core/time.ts';
import { validationError } from '../errors.ts';
import { noResults } from '../links/results.ts';
import { startsOf, totalsOf } from '../results/report.ts';
import { findStatistics, type IntervalResults, wholeDaysOf } from '../results/statistics.ts';
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
  const data = startsOf(interval, wholeDaysOf(period)).map(
    (start): PortalInterval => ({ start, ...show(byStart.get(start) ?? noResults()) }),
  );
  const { commission: earnedCommission, ...totals } = totalsOf(found);
  return { interval, data, totals: show({ ...totals, earnedCommission }) };
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
