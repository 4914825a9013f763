-- cost: none

-- The accounts at providers from which payouts are sent. The secret key is sealed.
CREATE TABLE rail_connections (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  rail TEXT NOT NULL,
  -- the provider's id and name of the account that pays
  platform_id TEXT NOT NULL,
  platform_name TEXT,
  is_live INTEGER NOT NULL,
  api_url TEXT,
  sealed_secrets BYTEA NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  UNIQUE (account_id, rail)
);

-- Payouts that are sent by a provider's API. The row is committed before the first call, and never deleted while its payout
-- exists: a payout is sent once.
CREATE TABLE payout_transfers (
  payout_id TEXT PRIMARY KEY REFERENCES payouts (id),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  rail TEXT NOT NULL,
  platform_id TEXT NOT NULL,
  is_live INTEGER NOT NULL,
  -- null once the partner was erased
  destination TEXT,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  -- sending | sent | failed | held
  status TEXT NOT NULL,
  -- the provider's id of the payment
  transfer_id TEXT,
  -- why it was not made, or why nobody knows
  problem TEXT,
  -- key | clock | failure: what a person must see to; null for what may pass by itself
  hindrance TEXT,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- the provider forgets a day after it that the payment was ordered
  first_attempt_at BIGINT,
  -- the same by the provider's clock; null if it told no time
  first_attempt_rail_at BIGINT,
  -- when somebody should see to it next; null when nobody should
  due_at BIGINT,
  -- the process that does, and until when it may
  leased_by TEXT,
  leased_until BIGINT,
  ended_at BIGINT
);
CREATE INDEX payout_transfers_due ON payout_transfers (account_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payout_transfers_account ON payout_transfers (account_id, payout_id);
CREATE INDEX payout_transfers_sending ON payout_transfers (account_id, payout_id) WHERE status = 'sending';
