import { z } from 'zod';
import { optional, parseInput } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { timeField } from '../app/time-field.ts';
import { type Earnings, earningsFrom } from '../core/payout.ts';
import { DAY_MS, isoTime } from '../core/time.ts';
import { validationError } from '../errors.ts';
import { requirePartner } from '../programs/partners.ts';
import { sumEntries, sumEntriesByDay } from './queries/earnings.ts';

const DAYS_MAX = 366;

const earningsInput = z.object({
  from: optional(timeField),
  to: optional(timeField),
  interval: optional(z.enum(['day'], { error: 'must be day, or be left out for one sum' })),
});

/** One day's earnings: its begin as ISO 8601 in UTC. */
export type DayEarnings = { from: string } & Earnings;

/**
 * What a partner earned, by currency, and where that money is now: of the entries that were written from `from` on and
 * before `to`; of all without them. With `interval=day` a line per UTC day and currency, in order, where there was
 * any; then both ends are needed, at most 366 days apart.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the partner
 */
export async function getEarnings(
  service: Service,
  accountId: string,
  partnerId: string,
  query: unknown,
): Promise<{ data: Earnings[] | DayEarnings[] }> {
  const { from, to, interval } = parseInput(earningsInput, query);
  if (from !== null && to !== null && from >= to)
    throw validationError([{ path: 'to', message: 'must be after from' }]);
  if (interval !== null && (from === null || to === null || to - from > DAYS_MAX * DAY_MS)) {
    const message = `needs from and to, at most ${DAYS_MAX} days apart`;
    throw validationError([{ path: 'interval', message }]);
  }
  const period = { from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER, at: service.clock() };
  return service.database.read(async (tx) => {
    await requirePartner(tx, accountId, partnerId);
    if (interval === null) return { data: earningsFrom(await sumEntries(tx, partnerId, period)) };
    const days = await sumEntriesByDay(tx, partnerId, period);
    const data = [...days].flatMap(([day, groups]) =>
      earningsFrom(groups).map((earnings) => ({ from: isoTime(day), ...earnings })),
    );
    return { data };
  });
}
