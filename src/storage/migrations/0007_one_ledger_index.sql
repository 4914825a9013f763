-- A sale's entries name its partner, currency and moment, so one index finds what is open and what is a sale's. Each
-- index costs a webhook 2 % on SQLite: a page more to write and to flush.
DROP INDEX ledger_entries_sale;
DROP INDEX ledger_entries_partner;
CREATE INDEX ledger_entries_partner ON ledger_entries (partner_id, currency, available_at, sale_id);
