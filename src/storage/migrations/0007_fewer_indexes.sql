-- Every sale is written to each of its indexes; on SQLite each of these two cost a webhook about 5 %: a page more to
-- write and to flush.

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
CREATE INDEX sales_partner ON sales (partner_id, id, link_id);
