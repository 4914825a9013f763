import type { SaleStatus } from '../../core/sale.ts';

/** All conditions are on `sales s`. This one is a literal term of the index `sales_refunded`. */
const IS_REFUNDED = '(s.voided_reason IS NOT NULL OR (s.gross_amount > 0 AND s.refunded_amount >= s.gross_amount))';

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

/** SQL from FROM on, and the sale id column by which the index is ordered. */
interface Source {
  id: string;
  source: string;
}

type Sources = readonly [Source, ...Source[]];

/** The sales whose commission is in a payout that is processing (1) or paid (2). */
const inPayout = (live: 1 | 2) => `FROM payout_entries a CROSS JOIN sales s
      WHERE a.account_id = @accountId AND a.live = ${live} AND a.sale_id IS NOT NULL AND a.sale_id < @beforeId
        AND s.account_id = @accountId AND s.id = a.sale_id`;

/** The sales whose commission is in no payout. `due` compares with the end of the hold. */
const open = (due: string) => `FROM open_entries o CROSS JOIN sales s
      WHERE o.account_id = @accountId AND o.kind = 'commission' AND o.sale_id < @beforeId AND o.due_at ${due}
        AND s.account_id = @accountId AND s.id = o.sale_id`;

/** The sales without a commission. Those that lost theirs when their amount became known still have a ledger entry. */
const WITHOUT_COMMISSION = `FROM sales s
      WHERE s.account_id = @accountId AND s.commission_amount = 0 AND s.id < @beforeId`;

const UNPAID = (due: string): Sources => [
  { id: 'o.sale_id', source: open(due) },
  { id: 'a.sale_id', source: inPayout(1) },
  { id: 's.id', source: WITHOUT_COMMISSION },
];

/**
 * The sources of the sales with each common status, each in list order. Together they hold every sale of the status
 * exactly once.
 */
const SOURCES = {
  paid: [{ id: 'a.sale_id', source: inPayout(2) }] as Sources,
  approved: UNPAID('<= @now'),
  pending: UNPAID('> @now'),
} satisfies Partial<Record<SaleStatus, Sources>>;

/**
 * The condition that finds the sales of a status by an index. For a rare status, the literal terms match a partial
 * index, and `STATUS` excludes the sales that also have a stronger status.
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
      return `s.disputed_open = 1 AND ${STATUS} = 'disputed'`;
    default:
      return pageOf(SOURCES[status], ` AND ${STATUS} = '${status}'${others}`);
  }
}

/**
 * Takes one page from each source, so that a page costs only a few pages. The page of the first source, which has most
 * of the sales, limits how far the other sources are searched.
 */
function pageOf([first, ...more]: Sources, conditions: string): string {
  const page = ({ id, source }: Source) => `SELECT s.id ${source}${conditions} ORDER BY ${id} DESC LIMIT @limit`;
  const after = "COALESCE((SELECT MIN(f.id) FROM firsts f HAVING COUNT(*) = @limit), '')";
  const others = more.map(
    ({ id, source }) => ` UNION SELECT * FROM (${page({ id, source: `${source} AND ${id} > ${after}` })}) AS page`,
  );
  return `s.id IN (WITH firsts AS MATERIALIZED (${page(first)})
    SELECT pages.id FROM (SELECT f.id FROM firsts f${others.join('')}) AS pages ORDER BY pages.id DESC LIMIT @limit)`;
}
