-- cost: none

-- Links, partners and programs that are out of use: dead for new visitors, but kept with their history. One that never had
-- any is deleted: its row stays without its data, because no index leads from a click or a customer back to it.
ALTER TABLE links ADD COLUMN archived_at BIGINT;
ALTER TABLE links ADD COLUMN deleted_at BIGINT;
ALTER TABLE partners ADD COLUMN archived_at BIGINT;
ALTER TABLE partners ADD COLUMN deleted_at BIGINT;
ALTER TABLE programs ADD COLUMN archived_at BIGINT;
ALTER TABLE programs ADD COLUMN deleted_at BIGINT;

-- An account can be deleted. PostgreSQL would look in these tables for rows that refer to each deleted row, without an
-- index: it would read all of them, each time. The other references stay, and on SQLite, which checks none of them while an
-- account is deleted, all do.
/* postgres: ALTER TABLE clicks DROP CONSTRAINT IF EXISTS clicks_account_id_fkey, DROP CONSTRAINT IF EXISTS clicks_link_id_fkey */;
/* postgres: ALTER TABLE customers DROP CONSTRAINT IF EXISTS customers_link_id_fkey, DROP CONSTRAINT IF EXISTS customers_partner_id_fkey, DROP CONSTRAINT IF EXISTS customers_program_id_fkey */;
/* postgres: ALTER TABLE leads DROP CONSTRAINT IF EXISTS leads_click_id_fkey, DROP CONSTRAINT IF EXISTS leads_link_id_fkey */;
/* postgres: ALTER TABLE identities DROP CONSTRAINT IF EXISTS identities_customer_id_fkey */;
/* postgres: ALTER TABLE payment_references DROP CONSTRAINT IF EXISTS payment_references_payment_id_fkey */;
/* postgres: ALTER TABLE sales DROP CONSTRAINT IF EXISTS sales_payment_id_fkey */;
/* postgres: ALTER TABLE payout_entries DROP CONSTRAINT IF EXISTS payout_entries_account_id_entry_id_fkey */;
/* postgres: ALTER TABLE link_holders DROP CONSTRAINT IF EXISTS link_holders_partner_id_fkey */;
/* postgres: ALTER TABLE embed_tokens DROP CONSTRAINT IF EXISTS embed_tokens_partner_id_fkey */;
/* postgres: ALTER TABLE portal_codes DROP CONSTRAINT IF EXISTS portal_codes_partner_id_fkey */;
