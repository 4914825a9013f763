-- Every sale is written to each of its indexes; on SQLite one costs a webhook about 5 %: a page more to write and to
-- flush. There were two on ledger_entries where one serves, and one on sales that only reports used.

-- A sale's entries name its partner, currency and moment, so one index finds what is open and what is a sale's.
DROP INDEX ledger_entries_sale;
DROP INDEX ledger_entries_partner;
CREATE INDEX ledger_entries_partner ON ledger_entries (partner_id, currency, available_at, sale_id);

-- Who has or had a link: its sales are among theirs.
CREATE TABLE link_holders (
  link_id TEXT NOT NULL REFERENCES links (id),
  partner_id TEXT NOT NULL REFERENCES partners (id),
  PRIMARY KEY (link_id, partner_id)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO link_holders (link_id, partner_id)
  SELECT id, partner_id FROM links
  UNION SELECT link_id, partner_id FROM customers WHERE link_id IS NOT NULL
  UNION SELECT link_id, partner_id FROM sales WHERE link_id IS NOT NULL;
DROP INDEX sales_link;
DROP INDEX sales_partner;
CREATE INDEX sales_partner ON sales (partner_id, id, link_id, created_at);

-- From this version on payment_references has no row for the invoice id of a sale: that names the sale's payment by
-- itself, under the payment's processor.
