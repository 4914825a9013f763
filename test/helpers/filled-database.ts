import type { SqlParameters } from '../../src/storage/database.ts';

const DAY_MS = 86_400_000;
/** The history of a filled account: two years, up to this moment. */
export const FILLED_UNTIL = Date.UTC(2026, 10, 1);
const FILLED_FROM = FILLED_UNTIL - 730 * DAY_MS;

/** An account to fill; `account` is its number, from 1 to 9. */
export interface Filling {
  account: number;
  sales: number;
  /** Further partners, who have a link with an external id and a portal session, but no results. */
  idlePartners?: number;
  /** True: the payouts that are paid were sent by transfers. */
  areSent?: boolean;
}

/** The id of the n-th row of an account with this prefix. It looks like a real id, and ids sort in the order of n. */
export function filledId(prefix: string, account: number, n: number): string {
  return `${prefix}_${String(account).padStart(22, '0')}${String(n).padStart(10, '0')}`;
}

/** The same in SQL; `n` is an expression. */
const id = (prefix: string, n: string) =>
  `'${prefix}_000000000000000000000' || CAST(@account AS TEXT) || substr(CAST(10000000000 + (${n}) AS TEXT), 2)`;

const PARTNERS = 50;
/** Half of the sales belong to the first partner, a tenth to the second. */
const PARTNER = `CASE WHEN i % 2 = 0 THEN 1 WHEN i % 5 = 0 THEN 2 ELSE 3 + (i * 7919) % ${PARTNERS - 2} END`;
const CREATED = `CAST(${FILLED_FROM} + i * (${730 * DAY_MS} / (@sales + 1)) AS BIGINT)`;
const AVAILABLE = `${CREATED} + ${30 * DAY_MS}`;
/**
 * Most commissions that are older than 120 days are paid, in monthly payouts; those of the following month are being
 * paid.
 */
const MONTH = `CAST((${CREATED} - ${FILLED_FROM}) / ${30 * DAY_MS} AS BIGINT)`;
const PAID_MONTHS = 20;

const rows = (count: string) =>
  `WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

const PROCESSOR = `CASE WHEN i % 1009 = 0 THEN 'shopify' WHEN i % 5 = 0 THEN 'custom' ELSE 'stripe' END`;
const REFUNDED = 'CASE WHEN i % 50 = 7 THEN 10000 WHEN i % 50 = 9 THEN 2500 ELSE 0 END';
const COMMISSION = 'CASE WHEN i % 50 = 0 THEN 0 ELSE 2000 END';
const REVIEW = `CASE WHEN i % 2003 = 0 THEN 'flagged' WHEN i % 2003 = 1 THEN 'approved' WHEN i % 2003 = 2 THEN 'rejected' END`;

const commissionsOf = (columns: string, condition: string) => `
  ${rows('@sales')} SELECT ${columns} FROM n WHERE i % 50 <> 0 AND ${condition}`;

/** In the order of the references between the tables. */
const STATEMENTS = [
  `INSERT INTO accounts (id, name, created_at) VALUES (${id('acc', '1')}, 'Example Ltd', 1)`,
  `INSERT INTO programs (id, account_id, name, description, commission, hold_days, minimum_payout, amount_basis,
     email_matching, self_referral, tracked_hosts, portal, created_at)
   VALUES (${id('prg', '1')}, ${id('acc', '1')}, 'Partners', '', '{}', 30, '{}', 'net', 1, 'flag', '[]', '{}', 1)`,
  `INSERT INTO partners (id, account_id, program_id, name, email, tenant_id, status, archived_at, created_at)
   ${rows('@partners')} SELECT ${id('ptr', 'i')}, ${id('acc', '1')}, ${id('prg', '1')}, 'Pia',
     'pia' || CAST(i AS TEXT) || '@example.com', 'tenant_' || CAST(i AS TEXT), 'active',
     CASE WHEN i % 50 = 49 THEN i END, i FROM n`,
  `INSERT INTO partner_discount_codes (account_id, code_lower, code, partner_id)
   ${rows('@partners')} SELECT ${id('acc', '1')}, 'code' || CAST(i AS TEXT), 'CODE', ${id('ptr', 'i')} FROM n`,
  `INSERT INTO links (id, account_id, program_id, partner_id, domain, key, url, created_at)
   ${rows('@partners')} SELECT ${id('lnk', 'i')}, ${id('acc', '1')}, ${id('prg', '1')}, ${id('ptr', 'i')},
     'refer.example.com', CAST(@account AS TEXT) || 'k' || CAST(i AS TEXT), 'https://example.com/', i FROM n`,
  `INSERT INTO link_holders (link_id, partner_id)
   ${rows('@partners')} SELECT ${id('lnk', 'i')}, ${id('ptr', 'i')} FROM n`,
  `INSERT INTO link_external_ids (account_id, external_id, link_id)
   ${rows('@partners')} SELECT ${id('acc', '1')}, 'ext_' || CAST(i AS TEXT), ${id('lnk', 'i')} FROM n
   WHERE i > ${PARTNERS}`,
  `INSERT INTO embed_tokens (hash, account_id, program_id, partner_id, created_at, expires_at)
   ${rows('@partners')} SELECT CAST(@account AS TEXT) || 'hash' || CAST(i AS TEXT), ${id('acc', '1')}, ${id('prg', '1')},
     ${id('ptr', 'i')}, i, i + 1 FROM n WHERE i > ${PARTNERS}`,
  `INSERT INTO clicks (id, account_id, link_id, device, created_at)
   ${rows('@sales')} SELECT ${id('clk', 'i')}, ${id('acc', '1')}, ${id('lnk', PARTNER)}, 'desktop', ${CREATED} FROM n`,
  `INSERT INTO link_clicks (link_id, hour, clicks)
   ${rows('@sales')} SELECT ${id('lnk', PARTNER)}, CAST(${CREATED} / 3600000 AS INTEGER), COUNT(*) FROM n GROUP BY 1, 2`,
  `INSERT INTO customers (id, account_id, external_id, email, email_lower, click_id, link_id, partner_id, program_id,
     created_at)
   ${rows('@sales')} SELECT ${id('cus', 'i')}, ${id('acc', '1')}, CASE WHEN i % 20 > 0 THEN 'user_' || CAST(i AS TEXT) END,
     'U' || CAST(i AS TEXT) || '@example.com', 'u' || CAST(i AS TEXT) || '@example.com', ${id('clk', 'i')},
     ${id('lnk', PARTNER)}, ${id('ptr', PARTNER)}, ${id('prg', '1')}, ${CREATED} FROM n`,
  `INSERT INTO leads (id, account_id, customer_id, event_name, click_id, link_id, partner_id, created_at)
   ${rows('@sales')} SELECT ${id('led', 'i')}, ${id('acc', '1')}, ${id('cus', 'i')}, 'Sign up', ${id('clk', 'i')},
     ${id('lnk', PARTNER)}, ${id('ptr', PARTNER)}, ${CREATED} FROM n WHERE i % 20 > 0`,
  `INSERT INTO identities (account_id, processor, kind, value, external_id, customer_id)
   ${rows('@sales')} SELECT ${id('acc', '1')}, 'stripe', 'customer', 'cus_' || CAST((i * 7919) % 1000003 AS TEXT),
     'user_' || CAST(i AS TEXT), CASE WHEN i % 100 > 0 THEN ${id('cus', 'i')} END FROM n`,
  `INSERT INTO webhook_endpoints (id, account_id, program_id, processor, created_at)
   ${rows('4')} SELECT ${id('whe', 'i')}, ${id('acc', '1')}, ${id('prg', '1')},
     CASE WHEN i < 3 THEN 'stripe' WHEN i = 3 THEN 'shopify' ELSE 'paddle' END, i FROM n`,
  // of the first endpoint, except for a few of the second and third; as many again are ignored
  `INSERT INTO deliveries (id, account_id, endpoint_id, processor, delivery_key, event_type, status, outcome, sale_id,
     attempts, next_attempt_at, received_at, headers, body)
   ${rows('2 * @sales')} SELECT ${id('dlv', 'i')}, ${id('acc', '1')},
     ${id('whe', 'CASE WHEN i < 100 THEN 2 WHEN i % 1009 = 0 THEN 3 ELSE 1 END')},
     CASE WHEN i >= 100 AND i % 1009 = 0 THEN 'shopify' ELSE 'stripe' END,
     'evt_' || CAST((i * 7919) % 1000003 AS TEXT) || '_' || CAST(i AS TEXT), 'checkout.session.completed',
     CASE WHEN i % 4001 = 1 THEN 'failed' ELSE 'processed' END,
     CASE WHEN i % 4001 = 1 THEN 'failed' WHEN i % 1999 = 3 THEN 'unattributed' WHEN i % 2 = 0 THEN 'ignored' ELSE 'sale' END,
     CASE WHEN i % 2 = 1 THEN ${id('sal', '(i + 1) / 2')} END, 1, CASE WHEN i % 4001 = 1 THEN ${FILLED_UNTIL} END,
     CAST(${FILLED_FROM} + i * (${365 * DAY_MS} / (@sales + 1)) AS BIGINT), '{}', NULL FROM n`,
  `INSERT INTO payments (id, account_id, processor, state, sale_id, created_at)
   ${rows('@sales')} SELECT ${id('pmt', 'i')}, ${id('acc', '1')}, ${PROCESSOR}, 'counted', ${id('sal', 'i')}, ${CREATED}
   FROM n`,
  `INSERT INTO payments (id, account_id, processor, state, fact, steps, occurred_at, expires_at, created_at)
   ${rows('@sales')} SELECT ${id('pmt', '@sales + i')}, ${id('acc', '1')}, 'stripe', 'parked', '{}', '[]', ${CREATED},
     ${CREATED} + ${90 * DAY_MS}, ${CREATED} FROM n WHERE i % 10 = 0`,
  `INSERT INTO parked_hints (account_id, kind, value, payment_id)
   ${rows('@sales')} SELECT ${id('acc', '1')}, 'customer', 'stripe:cus_' || CAST((i * 7919) % 1000003 AS TEXT),
     ${id('pmt', '@sales + i')} FROM n WHERE i % 10 = 0`,
  `INSERT INTO payment_references (account_id, processor, value, payment_id)
   ${rows('@sales')} SELECT ${id('acc', '1')}, 'stripe', 'pi_' || CAST(i AS TEXT), ${id('pmt', 'i')} FROM n`,
  `INSERT INTO refunds (account_id, processor, refund_key, payment_id, kind, amount, currency, failed, occurred_at,
     created_at)
   ${rows('@sales')} SELECT ${id('acc', '1')}, 'stripe', 're_' || CAST(i AS TEXT), ${id('pmt', 'i')}, 'refund', ${REFUNDED},
     'USD', 0, ${CREATED}, ${CREATED} FROM n WHERE i % 50 IN (7, 9)`,
  `INSERT INTO disputes (account_id, processor, dispute_id, payment_id, amount, currency, state, occurred_at, created_at)
   ${rows('@sales')} SELECT ${id('acc', '1')}, 'stripe', 'dp_' || CAST(i AS TEXT), ${id('pmt', 'i')}, 10000, 'USD',
     CASE WHEN i % 997 = 0 THEN 'open' ELSE 'won' END,
     ${CREATED}, ${CREATED} FROM n WHERE i % 997 = 0 OR i % 20 = 3`,
  `INSERT INTO sales (id, account_id, program_id, partner_id, link_id, click_id, customer_id, payment_id, event_name,
     invoice_id, payment_processor, amount, gross_amount, currency, commission_amount, terms, available_at,
     refunded_amount, disputed_open, voided_reason, review, matched_by, steps, occurred_at, created_at)
   ${rows('@sales')} SELECT ${id('sal', 'i')}, ${id('acc', '1')}, ${id('prg', '1')}, ${id('ptr', PARTNER)},
     ${id('lnk', PARTNER)}, ${id('clk', 'i')}, ${id('cus', 'CASE WHEN i % 3 = 0 THEN i - 1 ELSE i END')}, ${id('pmt', 'i')},
     'Purchase', 'in_' || CAST(i AS TEXT), ${PROCESSOR}, 10000, 10000, 'USD', ${COMMISSION}, '{}', ${AVAILABLE},
     ${REFUNDED}, CASE WHEN i % 997 = 0 THEN 1 ELSE 0 END, CASE WHEN i % 3001 = 0 THEN 'duplicate' END, ${REVIEW},
     'external_id', '[]', ${CREATED}, ${CREATED} FROM n`,
  `INSERT INTO ledger_entries (id, account_id, partner_id, sale_id, kind, amount, currency, available_at, created_at)
   ${commissionsOf(
     `${id('ent', 'i')}, ${id('acc', '1')}, ${id('ptr', PARTNER)}, ${id('sal', 'i')}, 'commission', 2000, 'USD', ${AVAILABLE},
     ${CREATED}`,
     'TRUE',
   )}`,
  `INSERT INTO ledger_entries (id, account_id, partner_id, sale_id, kind, amount, currency, available_at, created_at)
   ${commissionsOf(
     `${id('ent', '@sales + i')}, ${id('acc', '1')}, ${id('ptr', PARTNER)}, ${id('sal', 'i')}, 'reversal', -500, 'USD',
     ${AVAILABLE}, ${FILLED_UNTIL} + i`,
     'i % 50 IN (7, 9)',
   )}`,
  `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at,
     processing_at, paid_at)
   ${rows(`${PARTNERS * (PAID_MONTHS + 1)}`)} SELECT ${id('pay', 'i')}, ${id('acc', '1')}, ${id('prg', '1')},
     ${id('ptr', `(i - 1) % ${PARTNERS} + 1`)}, 'USD',
     CASE WHEN i <= ${PARTNERS * PAID_MONTHS} THEN 'paid' ELSE 'processing' END, 1, 1, i, i, i FROM n`,
  `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at)
   ${rows(String(PARTNERS))} SELECT ${id('pay', `${PARTNERS * (PAID_MONTHS + 1)} + i`)}, ${id('acc', '1')},
     ${id('prg', '1')}, ${id('ptr', 'i')}, 'USD', 'queued', 1, 1, i FROM n`,
  `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at,
     processing_at)
   VALUES (${id('pay', '999999')}, ${id('acc', '1')}, ${id('prg', '1')}, ${id('ptr', '1')}, 'USD', 'failed', 1, 1, 1, 1)`,
  `INSERT INTO payout_entries (payout_id, account_id, entry_id, sale_id, live)
   ${commissionsOf(
     `CASE WHEN i % 2000 = 1998 THEN ${id('pay', '999999')}
       ELSE ${id('pay', `${MONTH} * ${PARTNERS} - ${PARTNERS} + (${PARTNER})`)} END, ${id('acc', '1')}, ${id('ent', 'i')},
     ${id('sal', 'i')}, CASE WHEN i % 2000 = 1998 THEN 0 WHEN ${MONTH} = ${PAID_MONTHS} + 1 THEN 1 ELSE 2 END`,
     `${MONTH} >= 1 AND ${MONTH} <= ${PAID_MONTHS} + 1 AND i % 2003 <> 0`,
   )}`,
  `INSERT INTO open_entries (partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at)
   SELECT e.partner_id, e.currency,
     CASE WHEN (SELECT s.review FROM sales s WHERE s.account_id = e.account_id AND s.id = e.sale_id) = 'flagged'
       THEN 8640000000000000 ELSE e.available_at END,
     e.id, e.account_id, e.sale_id, e.kind, e.amount, e.created_at
   FROM ledger_entries e
   WHERE e.account_id = ${id('acc', '1')}
     AND (SELECT a.live FROM payout_entries a WHERE a.entry_id = e.id AND a.live <> 0) IS NULL`,
  `INSERT INTO ledger_days (partner_id, currency, day, due_day, earned, reversed, in_payouts, paid)
   SELECT e.partner_id, e.currency, e.created_at / ${DAY_MS}, e.available_at / ${DAY_MS}, SUM(e.amount), 0, 0, 0
   FROM ledger_entries e WHERE e.account_id = ${id('acc', '1')} GROUP BY 1, 2, 3, 4`,
  `INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
   SELECT s.partner_id, s.link_id, 1, s.created_at / ${DAY_MS}, s.currency, 0, 0, COUNT(*), SUM(s.amount), 0
   FROM sales s WHERE s.account_id = ${id('acc', '1')} GROUP BY 1, 2, 4, 5`,
  // almost all changes by one key; each resource was changed a few times
  `INSERT INTO audit_log (id, account_id, actor_id, actor_name, action, resource_id, changes, created_at)
   ${rows('@sales')} SELECT ${id('aud', 'i')}, ${id('acc', '1')},
     ${id('key', 'CASE WHEN i % 500 = 0 THEN 2 ELSE 1 END')}, 'Backend',
     CASE WHEN i % 700 = 0 THEN 'program.update' ELSE 'link.create' END, ${id('lnk', 'i / 3')}, '{}', ${CREATED} FROM n`,
  // the second endpoint gets a few types only; almost everything is delivered at once
  `INSERT INTO event_endpoints (id, account_id, kind, url, types, status, created_at, failures)
   ${rows('3')} SELECT ${id('evp', 'i')}, ${id('acc', '1')}, CASE WHEN i = 3 THEN 'listener' ELSE 'webhook' END,
     'https://example.com/events', ' sale.created ', 'enabled', i, 0 FROM n`,
  `INSERT INTO events (id, account_id, type, body, created_at)
   ${rows('@sales')} SELECT ${id('evt', 'i')}, ${id('acc', '1')},
     CASE WHEN i % 1009 = 0 THEN 'payout.paid' ELSE 'sale.created' END, '{}', ${CREATED} FROM n`,
  `INSERT INTO event_deliveries (endpoint_id, event_id, account_id, status, attempts, tries, next_attempt_at, occurred_at)
   ${rows('@sales')} SELECT ${id('evp', 'CASE WHEN i % 1009 = 0 THEN 2 ELSE 1 END')}, ${id('evt', 'i')}, ${id('acc', '1')},
     CASE WHEN i % 4001 = 1 THEN 'failed' WHEN i % 2003 = 2 THEN 'waiting' ELSE 'delivered' END, 1, 1,
     CASE WHEN i % 2003 = 2 THEN ${FILLED_UNTIL} END, ${CREATED} FROM n`,
  `INSERT INTO event_attempts (endpoint_id, event_id, number, attempted_at, duration_ms)
   SELECT endpoint_id, event_id, 1, occurred_at, 20 FROM event_deliveries WHERE account_id = ${id('acc', '1')}`,
  `INSERT INTO event_approvals (account_id, sale_id, due_at)
   ${rows('@sales')} SELECT ${id('acc', '1')}, ${id('sal', 'i')}, CASE WHEN i % 50 > 0 THEN ${AVAILABLE} END
   FROM n WHERE i > @sales - @sales / 20`,
  `INSERT INTO imported_records (account_id, source, kind, source_id, own_id, state, amount, currency)
   ${rows('@sales')} SELECT ${id('acc', '1')}, 'rewardful', CASE WHEN i % 100 = 0 THEN 'partner' ELSE 'commission' END,
     CAST((i * 7919) % 1000003 AS TEXT), ${id('sal', 'i')}, 'paid', 2000, 'USD' FROM n`,
  `INSERT INTO erasure_marks (account_id, mark, created_at)
   ${rows('@sales')} SELECT ${id('acc', '1')}, 'mark' || CAST((i * 7919) % 1000003 AS TEXT), ${CREATED} FROM n
   WHERE i % 2 = 0`,
  `INSERT INTO payout_days (payout_id, day, due_day, amount)
   ${rows(String(PARTNERS))} SELECT ${id('pay', `${PARTNERS * PAID_MONTHS} + i`)}, 1, 1, 1 FROM n`,
];

const TRANSFERS = `INSERT INTO payout_transfers (payout_id, account_id, rail, platform_id, is_live, destination, amount,
    currency, status, created_at, created_by, attempts)
  ${rows(String(PARTNERS * PAID_MONTHS))} SELECT ${id('pay', 'i')}, ${id('acc', '1')}, 'stripe', 'acct_1', 1, 'acct_2', 1,
    'USD', 'sent', i, 'command line', 1 FROM n`;

/**
 * Fills an account with a skewed history through a few large statements: half of the sales belong to one partner, and
 * every status of sales, deliveries and payouts occurs. The daily sums do not match the rows.
 */
export async function fillAccount(
  run: (sql: string, parameters: SqlParameters) => unknown,
  { account, sales, idlePartners = 0, areSent = false }: Filling,
): Promise<void> {
  for (const sql of areSent ? [...STATEMENTS, TRANSFERS] : STATEMENTS)
    await run(sql, { account, sales, partners: PARTNERS + idlePartners });
}
