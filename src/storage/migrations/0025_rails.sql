-- cost: none

-- How a partner wants to be paid: the rail with masked details as JSON, and the details sealed.
ALTER TABLE partners ADD COLUMN payout_details TEXT;
ALTER TABLE partners ADD COLUMN sealed_payout_details BYTEA;
-- tells at start whether anything was sealed
CREATE INDEX partners_payout_details ON partners (id) WHERE sealed_payout_details IS NOT NULL;

-- Files for a bank or a provider that pays. The content is sealed, because it names accounts; null once it is erased.
CREATE TABLE payout_files (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  rail TEXT NOT NULL,
  currency TEXT NOT NULL,
  payout_count INTEGER NOT NULL,
  amount BIGINT NOT NULL,
  content_type TEXT NOT NULL,
  file_name TEXT NOT NULL,
  sealed_content BYTEA,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  canceled_at BIGINT
);
CREATE INDEX payout_files_account ON payout_files (account_id, id);

-- The payouts in a file; each is in one live file.
CREATE TABLE payout_file_rows (
  file_id TEXT NOT NULL REFERENCES payout_files (id),
  payout_id TEXT NOT NULL REFERENCES payouts (id),
  live INTEGER NOT NULL,
  PRIMARY KEY (file_id, payout_id)
);
CREATE INDEX payout_file_rows_payout ON payout_file_rows (payout_id, file_id);
CREATE UNIQUE INDEX payout_file_rows_live ON payout_file_rows (payout_id) WHERE live = 1;
