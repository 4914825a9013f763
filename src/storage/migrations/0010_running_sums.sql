-- cost: 65 s and 600 MB per million rows of ledger_entries
-- cost: 8 s and 100 MB per million rows of leads

-- What is open is a table of its own, and what adds up is kept as sums per UTC day, written with the entry, lead, sale or
-- click: reports, balances and payout runs cost what is open or one row per day, however long the history is. `doctor`
-- compares them with the rows they come from.

-- The entries that no live payout contains. A payout run moves them to payout_entries; a failed payout moves them back.
-- No foreign keys: that would check those of the ledger's row again each time an entry moves.
CREATE TABLE open_entries (
  partner_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  -- the end of the hold; 8640000000000000, the last time there is, while the entry's sale waits for a review
  due_at BIGINT NOT NULL,
  entry_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  sale_id TEXT,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (partner_id, currency, due_at, entry_id)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO open_entries (partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at)
  SELECT e.partner_id, e.currency,
    CASE WHEN e.sale_id IN (SELECT f.id FROM sales f WHERE f.review = 'flagged') THEN 8640000000000000
      ELSE e.available_at END,
    e.id, e.account_id, e.sale_id, e.kind, e.amount, e.created_at
  FROM ledger_entries e
  WHERE (SELECT a.payout_id FROM payout_entries a WHERE a.entry_id = e.id AND a.live = 1) IS NULL
  ORDER BY 1, 2, 3, 4;
-- The sales that are not paid yet, in the order of lists.
CREATE INDEX open_entries_sale ON open_entries (account_id, sale_id) WHERE kind = 'commission';

-- A partner's ledger by the day of the entries' creation, and by the day they become due (never before the former;
-- 100000000 while their sale waits for a review). Amounts in minor units.
CREATE TABLE ledger_days (
  partner_id TEXT NOT NULL REFERENCES partners (id),
  currency TEXT NOT NULL,
  day INTEGER NOT NULL,
  due_day INTEGER NOT NULL,
  -- commissions and adjustments
  earned BIGINT NOT NULL,
  -- taken back by refunds and disputes; positive
  reversed BIGINT NOT NULL,
  -- what payouts under way contain of earned less reversed, and what was paid of it; the rest is open
  in_payouts BIGINT NOT NULL,
  paid BIGINT NOT NULL,
  PRIMARY KEY (partner_id, currency, day, due_day)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO ledger_days (partner_id, currency, day, due_day, earned, reversed, in_payouts, paid)
  SELECT g.partner_id, g.currency, g.day, CASE WHEN g.due_day < g.day THEN g.day ELSE g.due_day END,
    SUM(CASE WHEN g.kind IN ('commission', 'adjustment') THEN g.amount ELSE 0 END),
    SUM(CASE WHEN g.kind IN ('commission', 'adjustment') THEN 0 ELSE -g.amount END),
    SUM(CASE WHEN g.status = 'processing' THEN g.amount ELSE 0 END),
    SUM(CASE WHEN g.status = 'paid' THEN g.amount ELSE 0 END)
  FROM (
    SELECT e.partner_id, e.currency, e.kind, e.amount, e.created_at / 86400000 AS day,
      CASE WHEN e.sale_id IN (SELECT f.id FROM sales f WHERE f.review = 'flagged') THEN 100000000
        ELSE e.available_at / 86400000 END AS due_day,
      (SELECT o.status FROM payout_entries a JOIN payouts o ON o.id = a.payout_id
        WHERE a.entry_id = e.id AND a.live = 1) AS status
    FROM ledger_entries e) g
  GROUP BY g.partner_id, g.currency, g.day, CASE WHEN g.due_day < g.day THEN g.day ELSE g.due_day END;

-- Clicks, leads and sales by the day of their creation. commission: of the day's sales, less all that was reversed of it.
CREATE TABLE result_days (
  -- a partner or a program
  owner_id TEXT NOT NULL,
  -- of a partner: the link, or '' without one; of a program: 0 to 15, so that concurrent units rarely meet on one row
  part TEXT NOT NULL,
  -- how many days a row is the sum of: 1, or of a partner 32, so that reports over years read few rows
  span INTEGER NOT NULL,
  -- the first of them; a multiple of the span
  day INTEGER NOT NULL,
  -- '' for clicks and leads
  currency TEXT NOT NULL,
  clicks BIGINT NOT NULL,
  leads BIGINT NOT NULL,
  sales BIGINT NOT NULL,
  revenue BIGINT NOT NULL,
  commission BIGINT NOT NULL,
  PRIMARY KEY (owner_id, part, span, day, currency)
) /* sqlite: WITHOUT ROWID */;
-- Clicks before this version count for the partner who has the link now.
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT l.partner_id, l.id, 1, c.hour / 24, '', SUM(c.clicks), 0, 0, 0, 0
  FROM link_clicks c JOIN links l ON l.id = c.link_id GROUP BY l.partner_id, l.id, c.hour / 24;
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT l.program_id, '0', 1, c.hour / 24, '', SUM(c.clicks), 0, 0, 0, 0
  FROM link_clicks c JOIN links l ON l.id = c.link_id GROUP BY l.program_id, c.hour / 24;
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT e.partner_id, e.link_id, 1, e.created_at / 86400000, '', 0, COUNT(*), 0, 0, 0
  FROM leads e WHERE TRUE GROUP BY e.partner_id, e.link_id, e.created_at / 86400000
  ON CONFLICT (owner_id, part, span, day, currency) DO UPDATE SET leads = excluded.leads;
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT l.program_id, '0', 1, e.created_at / 86400000, '', 0, COUNT(*), 0, 0, 0
  FROM leads e JOIN links l ON l.id = e.link_id WHERE TRUE GROUP BY l.program_id, e.created_at / 86400000
  ON CONFLICT (owner_id, part, span, day, currency) DO UPDATE SET leads = excluded.leads;
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT s.partner_id, COALESCE(s.link_id, ''), 1, s.created_at / 86400000, s.currency, 0, 0,
    SUM(CASE WHEN s.voided_reason IS NULL THEN 1 ELSE 0 END),
    SUM(CASE WHEN s.voided_reason IS NULL THEN s.amount ELSE 0 END), SUM(s.commission_amount)
  FROM sales s GROUP BY s.partner_id, COALESCE(s.link_id, ''), s.created_at / 86400000, s.currency;
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT s.program_id, '0', 1, s.created_at / 86400000, s.currency, 0, 0,
    SUM(CASE WHEN s.voided_reason IS NULL THEN 1 ELSE 0 END),
    SUM(CASE WHEN s.voided_reason IS NULL THEN s.amount ELSE 0 END), SUM(s.commission_amount)
  FROM sales s GROUP BY s.program_id, s.created_at / 86400000, s.currency;
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT s.partner_id, COALESCE(s.link_id, ''), 1, s.created_at / 86400000, s.currency, 0, 0, 0, 0, SUM(e.amount)
  FROM ledger_entries e JOIN sales s ON s.account_id = e.account_id AND s.id = e.sale_id
  WHERE e.kind = 'reversal' GROUP BY s.partner_id, COALESCE(s.link_id, ''), s.created_at / 86400000, s.currency
  ON CONFLICT (owner_id, part, span, day, currency) DO UPDATE SET commission = result_days.commission + excluded.commission;
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT s.program_id, '0', 1, s.created_at / 86400000, s.currency, 0, 0, 0, 0, SUM(e.amount)
  FROM ledger_entries e JOIN sales s ON s.account_id = e.account_id AND s.id = e.sale_id
  WHERE e.kind = 'reversal' GROUP BY s.program_id, s.created_at / 86400000, s.currency
  ON CONFLICT (owner_id, part, span, day, currency) DO UPDATE SET commission = result_days.commission + excluded.commission;
INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
  SELECT r.owner_id, r.part, 32, r.day / 32 * 32, r.currency, SUM(r.clicks), SUM(r.leads), SUM(r.sales), SUM(r.revenue),
    SUM(r.commission)
  FROM result_days r JOIN partners p ON p.id = r.owner_id
  GROUP BY r.owner_id, r.part, r.day / 32 * 32, r.currency;
-- A link's results are under everyone who ever held it, with leads of earlier holders as well.
INSERT INTO link_holders (link_id, partner_id)
  SELECT l.id, l.partner_id FROM links l WHERE TRUE ON CONFLICT DO NOTHING;
INSERT INTO link_holders (link_id, partner_id)
  SELECT DISTINCT r.part, r.owner_id FROM result_days r JOIN links l ON l.id = r.part WHERE TRUE ON CONFLICT DO NOTHING;

-- live: 0 given back by a payout that failed or was canceled | 1 in a payout under way | 2 paid
-- sale_id: of a commission only, so that the paid sales are found in the order of lists
ALTER TABLE payout_entries ADD COLUMN sale_id TEXT;
UPDATE payout_entries SET
  live = CASE WHEN live = 1 AND (SELECT p.status FROM payouts p WHERE p.id = payout_entries.payout_id) = 'paid'
    THEN 2 ELSE live END,
  sale_id = (SELECT e.sale_id FROM ledger_entries e
    WHERE e.account_id = payout_entries.account_id AND e.id = payout_entries.entry_id AND e.kind = 'commission');
DROP INDEX payout_entries_live;
CREATE UNIQUE INDEX payout_entries_live ON payout_entries (entry_id) WHERE live <> 0;
CREATE INDEX payout_entries_sale ON payout_entries (account_id, live, sale_id) WHERE sale_id IS NOT NULL;

-- What a payout contains, by the days of ledger_days: a payout that ends moves these sums and not its entries.
CREATE TABLE payout_days (
  payout_id TEXT NOT NULL REFERENCES payouts (id),
  day INTEGER NOT NULL,
  due_day INTEGER NOT NULL,
  amount BIGINT NOT NULL,
  PRIMARY KEY (payout_id, day, due_day)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO payout_days (payout_id, day, due_day, amount)
  SELECT a.payout_id, e.created_at / 86400000,
    CASE WHEN e.available_at / 86400000 < e.created_at / 86400000 THEN e.created_at / 86400000
      ELSE e.available_at / 86400000 END,
    SUM(e.amount)
  FROM payouts p
  JOIN payout_entries a ON a.payout_id = p.id
  JOIN ledger_entries e ON e.account_id = a.account_id AND e.id = a.entry_id
  WHERE p.status = 'processing'
  GROUP BY 1, 2, 3;

-- A queued payout's amount and count are those of the partner's open entries from now on. A run that assigns more
-- entries than fit in one unit of work remembers its time, and what it assigned so far: amount and count include that
-- until the payout starts. settling_after: while the entries of a payout are being marked as paid or given back, the last
-- one that was; otherwise null.
ALTER TABLE payouts ADD COLUMN collecting_at BIGINT;
ALTER TABLE payouts ADD COLUMN collected_amount BIGINT NOT NULL DEFAULT 0;
ALTER TABLE payouts ADD COLUMN collected_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE payouts ADD COLUMN settling_after TEXT;
UPDATE payouts SET
  amount = (SELECT COALESCE(SUM(o.amount), 0) FROM open_entries o
    WHERE o.partner_id = payouts.partner_id AND o.currency = payouts.currency),
  entry_count = (SELECT COUNT(*) FROM open_entries o
    WHERE o.partner_id = payouts.partner_id AND o.currency = payouts.currency)
  WHERE status = 'queued';
CREATE INDEX payouts_collecting ON payouts (account_id, id) WHERE collecting_at IS NOT NULL;
CREATE INDEX payouts_settling ON payouts (account_id, id) WHERE settling_after IS NOT NULL;

-- A sale's entries are found by its id, which grows with time; a partner's by their creation.
DROP INDEX ledger_entries_partner;
CREATE INDEX ledger_entries_partner ON ledger_entries (partner_id, created_at, id);
CREATE INDEX ledger_entries_sale ON ledger_entries (sale_id, kind, amount);

-- How far a job of the server has come in the rows of an account.
CREATE TABLE job_cursors (
  job TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  last_id TEXT NOT NULL,
  PRIMARY KEY (job, account_id)
) /* sqlite: WITHOUT ROWID */;
