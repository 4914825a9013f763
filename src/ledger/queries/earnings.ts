import type { PartnerId } from '../../core/ids.ts';
import type { EntryKind } from '../../core/ledger.ts';
import type { EntryGroup, PayoutStatus } from '../../core/payout.ts';
import { DAY_MS } from '../../core/time.ts';
import { dayOf } from '../../storage/conditions/ledger-days.ts';
import type { Transaction } from '../../storage/database.ts';

/**
 * Entries created from `from` (inclusive) to `to` (exclusive). A hold that ends at or before `at` is over. Epoch
 * milliseconds.
 */
export interface EarningsPeriod {
  from: number;
  to: number;
  at: number;
}

interface GroupRow {
  /** Days since 1970; 0 in totals. */
  day: number;
  currency: string;
  kind: EntryKind;
  payoutStatus: PayoutStatus | null;
  isDue: number;
  amountMinor: number;
}

/** True when the hold is over and the entry's sale does not wait for a review. */
const IS_DUE = `e.available_at <= @at
  AND COALESCE((SELECT f.review FROM sales f WHERE f.account_id = e.account_id AND f.id = e.sale_id), '') <> 'flagged'`;

/** A payout that gives its entries back contains none. One that is being collected counts as processing. */
const PAYOUT_STATUS = `CASE WHEN o.status IN ('failed', 'canceled') THEN NULL
  WHEN o.status = 'queued' THEN CASE WHEN o.settling_after IS NULL THEN 'processing' END ELSE o.status END`;

const groupsBy = (day: string) => `
  SELECT g.day, g.currency, g.kind, g."payoutStatus", g."isDue", CAST(SUM(g.amount) AS BIGINT) AS "amountMinor"
  FROM (
    SELECT ${day} AS day, e.currency, e.kind, ${PAYOUT_STATUS} AS "payoutStatus",
      CASE WHEN ${IS_DUE} THEN 1 ELSE 0 END AS "isDue", e.amount
    FROM ledger_entries e
    LEFT JOIN payout_entries l ON l.entry_id = e.id AND l.live <> 0
    LEFT JOIN payouts o ON o.id = l.payout_id
    WHERE e.partner_id = @partnerId AND e.created_at >= @from AND e.created_at < @to) g
  GROUP BY g.day, g.currency, g.kind, g."payoutStatus", g."isDue"`;

const TOTAL = groupsBy('0');
const BY_DAY = groupsBy(dayOf('e.created_at'));

/** A group of entries, and the UTC day of their creation (days since 1970; 0 in totals). */
export type GroupOfDay = EntryGroup & { day: number };

/** Sums a partner's entries of a partial day by currency, kind and standing, from the entries themselves. */
export async function sumEntries(
  tx: Transaction,
  partnerId: PartnerId,
  period: EarningsPeriod,
  byDay: boolean,
): Promise<GroupOfDay[]> {
  const rows = await tx.all<GroupRow>(byDay ? BY_DAY : TOTAL, { partnerId, ...period });
  return rows.map(({ isDue, ...group }) => ({ ...group, isDue: isDue === 1 }));
}

/** The sums of whole days in one currency, in minor units. */
export interface DaySums {
  /** Days since 1970; 0 in totals. */
  day: number;
  currency: string;
  earned: number;
  reversed: number;
  paid: number;
  /** Open, and due after today. */
  dueLater: number;
  /** 1 when some of it became or becomes due today, otherwise 0. */
  hasDueToday: number;
}

const daySums = (day: string, groupBy: string) => `
  SELECT ${day} AS day, d.currency, CAST(SUM(d.earned) AS BIGINT) AS earned, CAST(SUM(d.reversed) AS BIGINT) AS reversed,
    CAST(SUM(d.paid) AS BIGINT) AS paid,
    CAST(SUM(CASE WHEN d.due_day > @today THEN d.earned - d.reversed - d.in_payouts - d.paid ELSE 0 END) AS BIGINT)
      AS "dueLater",
    MAX(CASE WHEN d.due_day = @today THEN 1 ELSE 0 END) AS "hasDueToday"
  FROM ledger_days d WHERE d.partner_id = @partnerId AND d.day >= @fromDay AND d.day < @toDay
  GROUP BY ${groupBy}`;

const DAYS_TOTAL = daySums('0', 'd.currency');
const DAYS_BY_DAY = daySums('d.day', 'd.day, d.currency');

/** Whole days from `fromDay` (inclusive) to `toDay` (exclusive), in days since 1970. */
export interface WholeDays {
  fromDay: number;
  toDay: number;
}

/** A partner's sums of whole days, either in total or by day. */
export function sumDays(tx: Transaction, partnerId: PartnerId, days: WholeDays & { today: number }, byDay: boolean) {
  return tx.all<DaySums>(byDay ? DAYS_BY_DAY : DAYS_TOTAL, { partnerId, ...days });
}

/**
 * Open amounts that become due later today, by the day of their creation: of open entries, and of those that an ended
 * payout has yet to give back, slice by slice.
 */
export function sumDueToday(
  tx: Transaction,
  partnerId: PartnerId,
  currency: string,
  { fromDay, toDay, today, at }: WholeDays & { today: number; at: number },
) {
  const endOfToday = (today + 1) * DAY_MS;
  return tx.all<{ day: number; amount: number }>(
    `SELECT g.day, CAST(SUM(g.amount) AS BIGINT) AS amount
     FROM (
       SELECT ${dayOf('o.created_at')} AS day, o.amount
       FROM open_entries o
       WHERE o.partner_id = @partnerId AND o.currency = @currency AND o.due_at > @at AND o.due_at < @endOfToday
         AND o.created_at >= @from AND o.created_at < @to
       UNION ALL
       SELECT ${dayOf('e.created_at')} AS day, e.amount
       FROM payouts p
       CROSS JOIN payout_entries a
       CROSS JOIN ledger_entries e
       WHERE p.partner_id = @partnerId AND p.currency = @currency AND p.settling_after IS NOT NULL AND p.status <> 'paid'
         AND a.payout_id = p.id AND a.entry_id > p.settling_after
         AND e.account_id = a.account_id AND e.id = a.entry_id AND e.available_at > @at AND e.available_at < @endOfToday
         AND e.created_at >= @from AND e.created_at < @to) g
     GROUP BY g.day`,
    { partnerId, currency, at, endOfToday, from: fromDay * DAY_MS, to: Math.min(toDay * DAY_MS, endOfToday) },
  );
}
