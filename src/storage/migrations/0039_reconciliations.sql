-- cost: none

-- Readings of what a processor says happened, which book what did not arrive. An endpoint has at most one that has not ended.
CREATE TABLE reconciliations (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id),
  since BIGINT NOT NULL,
  dry_run INTEGER NOT NULL,
  -- waiting | running | completed | failed | canceled
  status TEXT NOT NULL,
  -- where the next page begins; null before the first, and after the last
  cursor TEXT,
  page_count BIGINT NOT NULL,
  -- an earlier cursor, to notice a list that goes round in a circle
  marked_cursor TEXT,
  read_count BIGINT NOT NULL,
  known_count BIGINT NOT NULL,
  ignored_count BIGINT NOT NULL,
  -- what was missing, by outcome
  sale_count BIGINT NOT NULL,
  reversal_count BIGINT NOT NULL,
  unattributed_count BIGINT NOT NULL,
  failed_count BIGINT NOT NULL,
  other_count BIGINT NOT NULL,
  -- what the access token may not read, and why, as a JSON list
  not_read TEXT NOT NULL,
  error TEXT,
  -- in a row, of the same page
  failures INTEGER NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- not before, after a failure that may pass
  due_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  -- the process that reads the page, and until when it may
  leased_by TEXT,
  leased_until BIGINT
);
CREATE INDEX reconciliations_account ON reconciliations (account_id, id);
CREATE INDEX reconciliations_endpoint ON reconciliations (endpoint_id, id);
CREATE UNIQUE INDEX reconciliations_under_way ON reconciliations (endpoint_id) WHERE ended_at IS NULL;

-- What was missing. In a dry run, nothing of it is stored elsewhere.
CREATE TABLE reconciliation_items (
  reconciliation_id TEXT NOT NULL REFERENCES reconciliations (id),
  delivery_key TEXT NOT NULL,
  -- ascends in the order of the reading
  position BIGINT NOT NULL,
  delivery_id TEXT,
  event_type TEXT,
  occurred_at BIGINT NOT NULL,
  -- the processor's id of the payment
  invoice_id TEXT,
  -- as the processor reports it
  amount BIGINT,
  currency TEXT,
  outcome TEXT NOT NULL,
  reason TEXT,
  sale_id TEXT,
  partner_id TEXT,
  commission_amount BIGINT,
  commission_currency TEXT,
  -- in a dry run, what others of the same payment are judged by: facts as JSON, without whom they name, and whose sale it is
  facts TEXT,
  customer_id TEXT,
  click_id TEXT,
  PRIMARY KEY (reconciliation_id, delivery_key)
);
CREATE INDEX reconciliation_items_newest ON reconciliation_items (reconciliation_id, occurred_at, delivery_key);
CREATE INDEX reconciliation_items_invoice ON reconciliation_items (reconciliation_id, invoice_id);

-- The processor's ids of the payments in these facts, and ours of those that are stored.
CREATE TABLE reconciliation_references (
  reconciliation_id TEXT NOT NULL REFERENCES reconciliations (id),
  reference TEXT NOT NULL,
  delivery_key TEXT NOT NULL,
  PRIMARY KEY (reconciliation_id, reference, delivery_key)
);
CREATE INDEX reconciliation_references_delivery ON reconciliation_references (reconciliation_id, delivery_key);

-- 1 for what a reconciliation stored. Its payments wait for their customers from when they were made, in each attempt.
ALTER TABLE deliveries ADD COLUMN is_read_back INTEGER NOT NULL DEFAULT 0;
