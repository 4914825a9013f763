-- What is tracked: customers, leads, deliveries, payments and the sales they became, and the money that follows.
-- Every webhook writes here, so indexes and references are few: ids sort by time, which serves lists and retention, and
-- a row's account, program and click are those of the customer, partner or payment that it does reference.

-- The caller's users. external_id is null for a guest, who is known by a click or by a processor's id.
CREATE TABLE customers (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  external_id TEXT,
  email TEXT,
  email_lower TEXT,
  name TEXT,
  avatar TEXT,
  click_id TEXT REFERENCES clicks (id),
  link_id TEXT REFERENCES links (id),
  partner_id TEXT NOT NULL REFERENCES partners (id),
  program_id TEXT NOT NULL REFERENCES programs (id),
  created_at BIGINT NOT NULL
) /* sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX customers_external ON customers (account_id, external_id);
CREATE UNIQUE INDEX customers_guest_click ON customers (click_id) WHERE external_id IS NULL AND click_id IS NOT NULL;
CREATE INDEX customers_click ON customers (click_id);
CREATE INDEX customers_email ON customers (account_id, email_lower);

CREATE TABLE leads (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  customer_id TEXT NOT NULL REFERENCES customers (id),
  event_name TEXT NOT NULL,
  click_id TEXT NOT NULL REFERENCES clicks (id),
  link_id TEXT NOT NULL REFERENCES links (id),
  partner_id TEXT NOT NULL REFERENCES partners (id),
  metadata TEXT,
  created_at BIGINT NOT NULL
) /* sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX leads_customer_event ON leads (customer_id, event_name);
CREATE INDEX leads_account ON leads (account_id, id);
CREATE INDEX leads_link ON leads (link_id, created_at);

-- A processor's ids of one person, remembered from any delivery. kind: customer | subscription
CREATE TABLE identities (
  account_id TEXT NOT NULL,
  processor TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  external_id TEXT,
  click_id TEXT,
  email_lower TEXT,
  name TEXT,
  customer_id TEXT REFERENCES customers (id),
  PRIMARY KEY (account_id, processor, kind, value)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX identities_external ON identities (account_id, external_id);

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id),
  processor TEXT NOT NULL,
  delivery_key TEXT NOT NULL,
  event_type TEXT,
  -- processed | failed | dead
  status TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT,
  sale_id TEXT,
  attempts INTEGER NOT NULL,
  next_attempt_at BIGINT,
  received_at BIGINT NOT NULL,
  headers TEXT NOT NULL,
  body BYTEA
) /* sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX deliveries_key ON deliveries (endpoint_id, delivery_key);
CREATE INDEX deliveries_account ON deliveries (account_id, id);
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

-- One payment of one processor: all references that were ever joined name the same row.
-- state: awaited (known by reference only) | parked (received, nobody's yet) | counted (became sale_id)
-- | joined (turned out to be the payment joined_to, which speaks for its references)
CREATE TABLE payments (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  processor TEXT NOT NULL,
  state TEXT NOT NULL,
  sale_id TEXT,
  joined_to TEXT,
  endpoint_id TEXT,
  delivery_id TEXT,
  -- parked: the fact payment.received as JSON, the steps that were tried, and until when a lead may claim it
  fact TEXT,
  steps TEXT,
  occurred_at BIGINT,
  expires_at BIGINT,
  created_at BIGINT NOT NULL
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX payments_parked ON payments (account_id, id) WHERE state = 'parked';
CREATE INDEX payments_joined ON payments (joined_to) WHERE joined_to IS NOT NULL;

CREATE TABLE payment_references (
  account_id TEXT NOT NULL,
  processor TEXT NOT NULL,
  value TEXT NOT NULL,
  payment_id TEXT NOT NULL REFERENCES payments (id),
  PRIMARY KEY (account_id, value, processor)
) /* sqlite: WITHOUT ROWID */;

-- How a parked payment may be found by what is learned later. kind: external | customer | subscription | email
CREATE TABLE parked_hints (
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- for customer and subscription: processor and id, `stripe:cus_1`
  value TEXT NOT NULL,
  payment_id TEXT NOT NULL REFERENCES payments (id),
  PRIMARY KEY (account_id, kind, value, payment_id)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX parked_hints_payment ON parked_hints (payment_id);

-- Refunds as they were reported, of payments that may not have arrived yet. kind: refund | cumulative
CREATE TABLE refunds (
  account_id TEXT NOT NULL,
  processor TEXT NOT NULL,
  -- the refund's id; for kind cumulative the payment's first reference and the amount
  refund_key TEXT NOT NULL,
  payment_id TEXT NOT NULL REFERENCES payments (id),
  kind TEXT NOT NULL,
  -- null: a failure that was heard of before its refund, and did not say how much
  amount BIGINT,
  currency TEXT NOT NULL,
  failed INTEGER NOT NULL,
  delivery_id TEXT,
  occurred_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, processor, refund_key)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX refunds_payment ON refunds (payment_id);

CREATE TABLE disputes (
  account_id TEXT NOT NULL,
  processor TEXT NOT NULL,
  dispute_id TEXT NOT NULL,
  payment_id TEXT NOT NULL REFERENCES payments (id),
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  -- open | won | lost
  state TEXT NOT NULL,
  delivery_id TEXT,
  occurred_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, processor, dispute_id)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX disputes_payment ON disputes (payment_id);

CREATE TABLE sales (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  program_id TEXT NOT NULL,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  link_id TEXT,
  click_id TEXT,
  customer_id TEXT NOT NULL REFERENCES customers (id),
  payment_id TEXT NOT NULL REFERENCES payments (id),
  event_name TEXT NOT NULL,
  invoice_id TEXT,
  payment_processor TEXT NOT NULL,
  amount BIGINT NOT NULL,
  gross_amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  presentment_amount BIGINT,
  presentment_currency TEXT,
  commission_amount BIGINT NOT NULL,
  -- the terms that were applied, as JSON
  terms TEXT NOT NULL,
  available_at BIGINT NOT NULL,
  -- what refunds and disputes come to, derivable from their rows and from the ledger
  refunded_amount BIGINT NOT NULL,
  disputed_open INTEGER NOT NULL,
  -- why the sale is reversed whole whatever was refunded: a note, or null
  voided_reason TEXT,
  -- self-referral guard: null | flagged | approved | rejected
  review TEXT,
  matched_by TEXT NOT NULL,
  steps TEXT NOT NULL,
  metadata TEXT,
  occurred_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL
) /* sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX sales_invoice ON sales (account_id, invoice_id);
CREATE INDEX sales_account ON sales (account_id, id);
CREATE INDEX sales_partner ON sales (partner_id, id);
CREATE INDEX sales_customer ON sales (customer_id, occurred_at);
CREATE INDEX sales_link ON sales (link_id, created_at);

-- The ledger: appended to, never changed. A positive amount is owed to the partner.
-- kind: commission | reversal | dispute_hold | dispute_release | adjustment
CREATE TABLE ledger_entries (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  program_id TEXT NOT NULL,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  sale_id TEXT REFERENCES sales (id),
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  reason TEXT,
  available_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX ledger_entries_partner ON ledger_entries (partner_id, currency, available_at);
CREATE INDEX ledger_entries_sale ON ledger_entries (sale_id);

-- status: queued | processing | paid | failed | canceled
CREATE TABLE payouts (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  program_id TEXT NOT NULL REFERENCES programs (id),
  partner_id TEXT NOT NULL REFERENCES partners (id),
  currency TEXT NOT NULL,
  status TEXT NOT NULL,
  -- fixed by a run; null while queued, when it is the sum of the open entries
  amount BIGINT,
  entry_count INTEGER,
  created_at BIGINT NOT NULL,
  processing_at BIGINT,
  paid_at BIGINT,
  ended_at BIGINT,
  ended_by TEXT,
  note TEXT
);
CREATE UNIQUE INDEX payouts_queued ON payouts (partner_id, currency) WHERE status = 'queued';
CREATE INDEX payouts_account ON payouts (account_id, id);
CREATE INDEX payouts_partner ON payouts (partner_id, id);

-- Which payout pays an entry; a failed or canceled payout's rows stay, no longer live.
CREATE TABLE payout_entries (
  payout_id TEXT NOT NULL REFERENCES payouts (id),
  entry_id TEXT NOT NULL REFERENCES ledger_entries (id),
  live INTEGER NOT NULL,
  PRIMARY KEY (payout_id, entry_id)
) /* sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX payout_entries_live ON payout_entries (entry_id) WHERE live = 1;
