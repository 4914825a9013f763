import type { PartnerId } from '../../core/ids.ts';
import type { EntryKind } from '../../core/ledger.ts';
import type { EntryGroup, PayoutStatus } from '../../core/payout.ts';
import { DAY_MS } from '../../core/time.ts';
import { IS_DUE } from '../../storage/conditions/open-entries.ts';
import type { Transaction } from '../../storage/database.ts';

/** The entries that count: created from `from` to before `to`. A hold that ends by `at` is over. Epoch ms. */
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

const groupsBy = (day: string) => `
  SELECT g.day, g.currency, g.kind, g."payoutStatus", g."isDue", CAST(SUM(g.amount) AS BIGINT) AS "amountMinor"
  FROM (
    SELECT ${day} AS day, e.currency, e.kind, o.status AS "payoutStatus",
      CASE WHEN ${IS_DUE} THEN 1 ELSE 0 END AS "isDue", e.amount
    FROM ledger_entries e
    LEFT JOIN payout_entries l ON l.entry_id = e.id AND l.live = 1
    LEFT JOIN payouts o ON o.id = l.payout_id
    WHERE e.partner_id = @partnerId AND e.created_at >= @from AND e.created_at < @to) g
  GROUP BY g.day, g.currency, g.kind, g."payoutStatus", g."isDue"
  ORDER BY g.day`;

const TOTAL = groupsBy('0');
const BY_DAY = groupsBy(`e.created_at / ${DAY_MS}`);

/** Sums a partner's entries of a period by currency, kind and standing; empty without entries. */
export async function sumEntries(tx: Transaction, partnerId: PartnerId, period: EarningsPeriod): Promise<EntryGroup[]> {
  return (await tx.all<GroupRow>(TOTAL, { partnerId, ...period })).map(asGroup);
}

/** As `sumEntries`, by the UTC day of creation (its start in epoch ms), in order and without empty days. */
export async function sumEntriesByDay(
  tx: Transaction,
  partnerId: PartnerId,
  period: EarningsPeriod,
): Promise<Map<number, EntryGroup[]>> {
  const days = new Map<number, EntryGroup[]>();
  for (const row of await tx.all<GroupRow>(BY_DAY, { partnerId, ...period })) {
    const groups = days.get(row.day * DAY_MS) ?? [];
    days.set(row.day * DAY_MS, groups);
    groups.push(asGroup(row));
  }
  return days;
}

function asGroup({ day: _day, isDue, ...group }: GroupRow): EntryGroup {
  return { ...group, isDue: isDue === 1 };
}
