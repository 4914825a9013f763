import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { type Earnings, earningsFrom } from '../core/payout.ts';
import { DAY_MS, isoTime } from '../core/time.ts';
import { validationError } from '../errors.ts';
import { requirePartner } from '../programs/partners.ts';
import { requirePeriod } from '../schema/period-fields.ts';
import { sumEntries, sumEntriesByDay } from './queries/earnings.ts';
import type { EarningsQuery, EarningsReport, EarningsResource } from './schemas.ts';

const DAYS_MAX = 366;

/**
 * What a partner earned by currency, and where that money is now, for the entries created from `from` (included) to `to`
 * (excluded), or all. With `interval=day`, one item per UTC day and currency, in order, without empty days; that needs
 * both ends, at most 366 days apart.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the partner
 */
export async function getEarnings(
  service: Service,
  accountId: AccountId,
  id: string,
  { interval, ...bounds }: EarningsQuery,
): Promise<EarningsReport> {
  const { from, to } = requirePeriod(bounds);
  if (interval !== null && (from === null || to === null || to - from > DAYS_MAX * DAY_MS)) {
    const message = `needs from and to, at most ${DAYS_MAX} days apart`;
    throw validationError([{ path: 'interval', message }]);
  }
  const period = { from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER, at: service.clock() };
  return service.database.read(async (tx) => {
    const { id: partnerId } = await requirePartner(tx, accountId, id);
    if (interval === null) return { data: earningsFrom(await sumEntries(tx, partnerId, period)).map(asEarnings) };
    const days = await sumEntriesByDay(tx, partnerId, period);
    const data = [...days].flatMap(([day, groups]) =>
      earningsFrom(groups).map((earnings) => ({ from: isoTime(day), ...asEarnings(earnings) })),
    );
    return { data };
  });
}

function asEarnings({ currency, earned, reversed, held, payable, paid }: Earnings): EarningsResource {
  return { currency, earned, reversed, held, payable, paid };
}
