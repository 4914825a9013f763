-- cost: none

-- What came from another service, by that service's own ids, so that importing it again changes nothing.
CREATE TABLE imported_records (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- the name of the service, such as `rewardful`
  source TEXT NOT NULL,
  -- `program`, `partner`, `commission` or `payout`
  kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  -- the row that it became here: of a commission, its sale, or its ledger entry where there is no sale
  own_id TEXT NOT NULL,
  -- of commissions and payouts: as they were imported
  state TEXT,
  amount BIGINT,
  currency TEXT,
  PRIMARY KEY (account_id, source, kind, source_id)
);
