import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../core/ledger.ts';
import { type Earnings, earningsFrom, sumEarnings } from '../core/payout.ts';
import { DAY_MS, isoTime } from '../core/time.ts';
import { requireExact, validationError } from '../errors.ts';
import { requirePartner } from '../programs/partners.ts';
import { requirePeriod } from '../schema/period-fields.ts';
import type { Transaction } from '../storage/database.ts';
import { type DaySums, sumDays, sumDueToday, sumEntries, type WholeDays } from './queries/earnings.ts';
import type { EarningsQuery, EarningsReport, EarningsResource } from './schemas.ts';

const DAYS_MAX = 366;

/** The day after the last possible day. */
const END_DAY = UNDECIDED_DUE_AT / DAY_MS + 1;

/**
 * What a partner earned by currency, and where that money is now, for the entries created from `from` (inclusive) to
 * `to` (exclusive), or for all. With `interval=day`, one item per UTC day and currency, in order, without empty days;
 * this requires both ends, at most 366 days apart.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the partner; `INVALID_STATE` when a sum is beyond 2^53
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
  const byDay = interval !== null;
  const at = service.clock();
  return service.database.report(async (tx) => {
    const { id: partnerId } = await requirePartner(tx, accountId, id);
    const parts = await partsOf(tx, partnerId, { from: from ?? 0, to: to ?? END_DAY * DAY_MS, at }, byDay);
    if (!byDay) return { data: sumEarnings(parts).map(asEarnings) };
    const days = [...Map.groupBy(parts, ({ day }) => day)].sort(([a], [b]) => a - b);
    const data = days.flatMap(([day, ofDay]) =>
      sumEarnings(ofDay).map((earnings) => ({ from: isoTime(day * DAY_MS), ...asEarnings(earnings) })),
    );
    return { data };
  });
}

/** The earnings of some entries, and the day of their creation (days since 1970; 0 in totals). */
type Part = Earnings & { day: number };

/** Reads whole days from the daily sums, and the rest, at most two partial days, from the entries. */
async function partsOf(
  tx: Transaction,
  partnerId: PartnerId,
  { from, to, at }: { from: number; to: number; at: number },
  byDay: boolean,
): Promise<Part[]> {
  const days = { fromDay: Math.ceil(from / DAY_MS), toDay: Math.floor(to / DAY_MS) };
  const rests =
    days.fromDay > days.toDay
      ? [{ from, to }]
      : [
          { from, to: days.fromDay * DAY_MS },
          { from: days.toDay * DAY_MS, to },
        ];
  const parts = days.fromDay < days.toDay ? await partsOfDays(tx, partnerId, { ...days, at }, byDay) : [];
  for (const rest of rests) {
    if (rest.from >= rest.to) continue;
    const groups = await sumEntries(tx, partnerId, { ...rest, at }, byDay);
    for (const group of groups)
      for (const earnings of earningsFrom([group])) parts.push({ ...earnings, day: group.day });
  }
  return parts;
}

async function partsOfDays(
  tx: Transaction,
  partnerId: PartnerId,
  period: WholeDays & { at: number },
  byDay: boolean,
): Promise<Part[]> {
  const days = { ...period, today: Math.floor(period.at / DAY_MS) };
  const sums = await sumDays(tx, partnerId, days, byDay);
  const dueToday = new Map<string, number>();
  for (const currency of new Set(sums.filter(({ hasDueToday }) => hasDueToday === 1).map((sum) => sum.currency))) {
    for (const { day, amount } of await sumDueToday(tx, partnerId, currency, days)) {
      const key = keyOf({ currency, day: byDay ? day : 0 });
      dueToday.set(key, (dueToday.get(key) ?? 0) + amount);
    }
  }
  return sums.map((sum) => {
    const { day, currency, earned, reversed, paid, dueLater } = sum;
    const held = dueLater + (dueToday.get(keyOf(sum)) ?? 0);
    return { day, currency, earned, reversed, held, payable: earned - reversed - paid - held, paid };
  });
}

function keyOf({ currency, day }: Pick<DaySums, 'currency' | 'day'>): string {
  return `${currency} ${day}`;
}

function asEarnings({ currency, earned, reversed, held, payable, paid }: Earnings): EarningsResource {
  requireExact([earned, reversed, held, payable, paid]);
  return { currency, earned, reversed, held, payable, paid };
}
