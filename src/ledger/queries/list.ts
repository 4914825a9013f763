import type { AccountId, EntryId, PartnerId, PayoutId, SaleId } from '../../core/ids.ts';
import type { EntryKind } from '../../core/ledger.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  isSet,
  type ListSql,
  leadOf,
  listParameters,
  orderOfPartner,
  type PageBounds,
  pageSql,
  type Walk,
  walkOf,
  walkOfAccount,
  walkOfPartner,
  walkOfPeriod,
} from '../../storage/list-filters.ts';

export interface EntryView {
  id: EntryId;
  partnerId: PartnerId;
  partnerName: string;
  saleId: SaleId | null;
  payoutId: PayoutId | null;
  kind: EntryKind;
  amount: number;
  currency: string;
  reason: string | null;
  availableAt: number;
  createdAt: number;
}

/** A failed or canceled payout no longer has entries, even while they are still being given back. */
const PAYOUT_ID = "CASE WHEN o.status IN ('failed', 'canceled') THEN NULL ELSE a.payout_id END";

const COLUMNS = `e.id, e.partner_id AS "partnerId",
    (SELECT n.name FROM partners n WHERE n.id = e.partner_id) AS "partnerName", e.sale_id AS "saleId", ${PAYOUT_ID} AS "payoutId", e.kind, e.amount,
    e.currency, e.reason, e.available_at AS "availableAt", e.created_at AS "createdAt"`;

const FROM_ENTRIES = `FROM ledger_entries e
  LEFT JOIN payout_entries a ON a.entry_id = e.id AND a.live <> 0
  LEFT JOIN payouts o ON o.id = a.payout_id
  WHERE`;

/** Starts with the entries of a payout. A failed or canceled payout pays nothing, so no entries are read. */
const FROM_PAYOUT = `FROM payout_entries a CROSS JOIN ledger_entries e CROSS JOIN payouts o
  WHERE o.id = a.payout_id AND e.account_id = a.account_id AND e.id = a.entry_id AND a.live <> 0 AND`;

const OF_PAYOUT = `a.payout_id = (SELECT p.id FROM payouts p
    WHERE p.account_id = @accountId AND p.id = @payoutId AND p.status NOT IN ('failed', 'canceled'))`;

const OF_SALE = `e.sale_id = (SELECT s.id FROM sales s WHERE s.account_id = @accountId AND s.id = @saleId)`;

const OF_PARTNER = walkOfPartner('e', 'ledger_entries');

/** The literal term matches the partial indexes: there are few entries of any kind but this one. */
const OF_RARE_KIND = "e.kind = @kind AND e.kind <> 'commission'";

const isRareKind = ({ kind = null }: Filters) => kind !== null && kind !== ('commission' satisfies EntryKind);

const byRareKind = (filters: Filters): Walk => {
  if (isSet(filters, 'partnerId')) return { ...OF_PARTNER, conditions: `${OF_PARTNER.conditions} AND ${OF_RARE_KIND}` };
  return { ...walkOfAccount('e', OF_RARE_KIND), from: 'e.id >= @fromId' };
};

const listOf = (filters: Filters): ListSql => ({
  alias: 'e',
  columns: { payoutId: PAYOUT_ID, partnerId: 'e.partner_id', kind: 'e.kind' },
  narrow: {
    time: 'e.created_at',
    columns: { programId: '(SELECT n.program_id FROM partners n WHERE n.id = e.partner_id)', currency: 'e.currency' },
  },
  walks: {
    saleId: walkOf('e', OF_SALE),
    payoutId: {
      conditions: OF_PAYOUT,
      before: 'a.entry_id < @beforeId',
      order: 'ORDER BY a.entry_id DESC',
      sortedBy: 'id',
    },
    ...(isRareKind(filters) ? { kind: byRareKind(filters) } : {}),
    partnerId: OF_PARTNER,
    period: walkOfPeriod('e'),
  },
});

/** How the rows of one partner are sorted; the filter `partnerId` may be missing. */
export const orderOfEntries = (filters: Filters) =>
  orderOfPartner(filters, listOf({ ...filters, partnerId: '' }).walks);

/** Newest first. An entry's payout is the one that currently includes it, or null. */
export function findEntries(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  const list = listOf(filters);
  const from = leadOf(filters, list.walks) === 'payoutId' ? FROM_PAYOUT : FROM_ENTRIES;
  return tx.all<EntryView>(`SELECT ${COLUMNS} ${from} ${pageSql(filters, list)}`, {
    accountId,
    ...listParameters(filters, bounds),
  });
}

export function findEntry(tx: Transaction, accountId: AccountId, id: string) {
  const sql = `SELECT ${COLUMNS} ${FROM_ENTRIES} e.account_id = @accountId AND e.id = @id`;
  return tx.get<EntryView>(sql, { accountId, id });
}
