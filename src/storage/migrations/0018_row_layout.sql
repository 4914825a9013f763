-- cost: none

-- On SQLite, rows that were kept in the order of their text keys are appended to plain tables, and the key is an index.
-- In a b-tree ordered by key, every level holds whole rows: eight on a page of 2 KB, so that a million customers were seven
-- levels deep, and a look-up read three pages before the one with its row. An index holds keys only, and a plain table is
-- found by row number over three levels. The other indexes of a table get smaller as well, because each entry names its row
-- by number and not by the primary key. At a million customers, storing a webhook reads 25 pages instead of 42.
-- PostgreSQL keeps rows and keys apart anyway, and changes nothing.
/* sqlite:
-- cost: 32 s and 650 MB per million rows of customers
-- cost: 22 s and 600 MB per million rows of leads
-- cost: 22 s and 500 MB per million rows of ledger_entries
-- cost: 12 s and 230 MB per million rows of payment_references
-- cost: 20 s and 400 MB per million rows of open_entries

CREATE TABLE new_customers (
  id TEXT NOT NULL PRIMARY KEY,
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
);
INSERT INTO new_customers
  (id, account_id, external_id, email, email_lower, name, avatar, click_id, link_id, partner_id, program_id, created_at)
  SELECT id, account_id, external_id, email, email_lower, name, avatar, click_id, link_id, partner_id, program_id, created_at
  FROM customers ORDER BY id;
DROP TABLE customers;
ALTER TABLE new_customers RENAME TO customers;
CREATE UNIQUE INDEX customers_external ON customers (account_id, external_id);
CREATE UNIQUE INDEX customers_guest_click ON customers (click_id) WHERE external_id IS NULL AND click_id IS NOT NULL;
-- the id was part of each entry before; without it, the first customer of an address would be looked for in all of them
CREATE INDEX customers_email ON customers (account_id, email_lower, id) WHERE email_lower IS NOT NULL;
CREATE INDEX customers_click ON customers (click_id, id) WHERE click_id IS NOT NULL;
CREATE INDEX customers_account ON customers (account_id, id);

CREATE TABLE new_leads (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  customer_id TEXT NOT NULL REFERENCES customers (id),
  event_name TEXT NOT NULL,
  click_id TEXT NOT NULL REFERENCES clicks (id),
  link_id TEXT NOT NULL REFERENCES links (id),
  partner_id TEXT NOT NULL REFERENCES partners (id),
  metadata TEXT,
  created_at BIGINT NOT NULL
);
INSERT INTO new_leads
  (id, account_id, customer_id, event_name, click_id, link_id, partner_id, metadata, created_at)
  SELECT id, account_id, customer_id, event_name, click_id, link_id, partner_id, metadata, created_at
  FROM leads ORDER BY id;
DROP TABLE leads;
ALTER TABLE new_leads RENAME TO leads;
CREATE UNIQUE INDEX leads_customer_event ON leads (customer_id, event_name);
CREATE INDEX leads_account ON leads (account_id, id);
CREATE INDEX leads_partner ON leads (partner_id, created_at, id);

CREATE TABLE new_ledger_entries (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  sale_id TEXT,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  reason TEXT,
  available_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, sale_id) REFERENCES sales (account_id, id)
);
INSERT INTO new_ledger_entries
  (id, account_id, partner_id, sale_id, kind, amount, currency, reason, available_at, created_at)
  SELECT id, account_id, partner_id, sale_id, kind, amount, currency, reason, available_at, created_at
  FROM ledger_entries ORDER BY account_id, id;
DROP TABLE ledger_entries;
ALTER TABLE new_ledger_entries RENAME TO ledger_entries;
CREATE INDEX ledger_entries_partner ON ledger_entries (partner_id, created_at, id);
CREATE INDEX ledger_entries_sale ON ledger_entries (sale_id, kind, amount);

CREATE TABLE new_payment_references (
  account_id TEXT NOT NULL,
  processor TEXT NOT NULL,
  value TEXT NOT NULL,
  payment_id TEXT NOT NULL REFERENCES payments (id),
  PRIMARY KEY (account_id, value, processor)
);
INSERT INTO new_payment_references (account_id, processor, value, payment_id)
  SELECT account_id, processor, value, payment_id FROM payment_references ORDER BY account_id, value, processor;
DROP TABLE payment_references;
ALTER TABLE new_payment_references RENAME TO payment_references;

CREATE TABLE new_open_entries (
  partner_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  due_at BIGINT NOT NULL,
  entry_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  sale_id TEXT,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (partner_id, currency, due_at, entry_id)
);
INSERT INTO new_open_entries
  (partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at)
  SELECT partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at
  FROM open_entries ORDER BY partner_id, currency, due_at, entry_id;
DROP TABLE open_entries;
ALTER TABLE new_open_entries RENAME TO open_entries;
CREATE INDEX open_entries_sale ON open_entries (account_id, sale_id, due_at) WHERE kind = 'commission';

*/
