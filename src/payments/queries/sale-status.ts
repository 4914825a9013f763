import type { SaleStatus } from '../../core/sale.ts';
import { IS_DISPUTED, IS_REFUNDED } from '../../storage/conditions/sale-states.ts';

/**
 * True when a paid payout contains the sale's commission entry; a sale has at most one such entry. Written as a scalar
 * subquery, so that both engines always do one key lookup.
 */
const IS_PAID = `(SELECT a.live FROM payout_entries a
      WHERE a.account_id = s.account_id AND a.live = 2 AND a.sale_id = s.id LIMIT 1) = 2`;

/**
 * The SQL of `SaleStatus`. A flagged sale stays `pending`; `approved` depends on the clock, `paid` on the commission's
 * payout.
 */
export const STATUS = `CASE
    WHEN ${IS_REFUNDED} THEN 'refunded'
    WHEN s.review = 'rejected' THEN 'rejected'
    WHEN s.disputed_open = 1 THEN 'disputed'
    WHEN ${IS_PAID} THEN 'paid'
    WHEN s.available_at <= @now AND (s.review IS NULL OR s.review <> 'flagged') THEN 'approved'
    ELSE 'pending' END`;

/** A table in list order, with a row for each sale. */
interface Source {
  /** The column with the sale's id, by which the index is ordered. */
  id: string;
  /** SQL from FROM on. */
  source: string;
}

type Sources = readonly [Source, ...Source[]];

/** The sales whose commission is in a payout that is under way (1) or paid (2). */
const inPayout = (live: 1 | 2): Source => ({
  id: 'a.sale_id',
  source: `FROM payout_entries a
      WHERE a.account_id = @accountId AND a.live = ${live} AND a.sale_id IS NOT NULL`,
});

/** The sales whose commission is in no payout. `due` compares with the end of the hold. */
const open = (due: string): Source => ({
  id: 'o.sale_id',
  source: `FROM open_entries o
      WHERE o.account_id = @accountId AND o.kind = 'commission' AND o.due_at ${due}`,
});

/** The sales without a commission. Those that lost theirs when their amount became known still have a ledger entry. */
const WITHOUT_COMMISSION: Source = {
  id: 'w.id',
  source: `FROM sales w
      WHERE w.account_id = @accountId AND w.commission_amount = 0`,
};

const unpaid = (due: string): Sources => [open(due), inPayout(1), WITHOUT_COMMISSION];

/** The sources of the sales with each common status. Together they hold every sale of the status exactly once. */
const SOURCES = {
  paid: [inPayout(2)] as Sources,
  approved: unpaid('<= @now'),
  pending: unpaid('> @now'),
} satisfies Partial<Record<SaleStatus, Sources>>;

/**
 * The condition that finds the sales of a status by an index. For a rare status, the literal terms match a partial
 * index, and the others exclude the sales that also have a stronger status.
 *
 * @param others further conditions on `s`, beginning with ` AND`
 */
export function conditionOf(status: SaleStatus, others: string): string {
  switch (status) {
    case 'refunded':
      return IS_REFUNDED;
    case 'rejected':
      return `s.review = 'rejected' AND ${STATUS} = 'rejected'`;
    case 'disputed':
      return IS_DISPUTED;
    default:
      return pageOf(SOURCES[status], ` AND ${STATUS} = '${status}'${others}`);
  }
}

/**
 * Takes one page from each source, so that a page costs only a few pages. The page of the first source, which has most
 * of the sales, limits how far the other sources are searched. The sale of each row is looked up in a scalar subquery:
 * of a join, PostgreSQL might read the sales first.
 */
function pageOf([first, ...more]: Sources, conditions: string): string {
  const page = ({ id, source }: Source, after = '') => `SELECT ${id} AS id ${source} AND ${id} < @beforeId${after}
      AND COALESCE((SELECT 1 FROM sales s WHERE s.account_id = @accountId AND s.id = ${id}${conditions}), 0) <> 0
    ORDER BY ${id} DESC LIMIT @limit`;
  const last = "COALESCE((SELECT MIN(f.id) FROM firsts f HAVING COUNT(*) = @limit), '')";
  const others = more.map((source) => ` UNION SELECT * FROM (${page(source, ` AND ${source.id} > ${last}`)}) AS page`);
  return `s.id IN (WITH firsts AS MATERIALIZED (${page(first)})
    SELECT pages.id FROM (SELECT f.id FROM firsts f${others.join('')}) AS pages ORDER BY pages.id DESC LIMIT @limit)`;
}
