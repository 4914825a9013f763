-- Accounts and what they own. One text for both engines: TEXT, INTEGER, BIGINT, BYTEA; times are epoch milliseconds.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE programs (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  commission TEXT NOT NULL,
  duration_months INTEGER,
  hold_days INTEGER NOT NULL,
  minimum_payout TEXT NOT NULL,
  amount_basis TEXT NOT NULL,
  email_matching INTEGER NOT NULL,
  self_referral TEXT NOT NULL,
  tracked_hosts TEXT NOT NULL,
  portal TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX programs_account ON programs (account_id, id);

-- Every origin that some program lists: a preflight carries no token and is answered for these.
CREATE TABLE program_origins (
  program_id TEXT NOT NULL REFERENCES programs (id),
  origin TEXT NOT NULL,
  PRIMARY KEY (program_id, origin)
);
CREATE INDEX program_origins_origin ON program_origins (origin);

CREATE TABLE partners (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  program_id TEXT NOT NULL REFERENCES programs (id),
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  tenant_id TEXT,
  commission TEXT,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX partners_email ON partners (program_id, email);
CREATE UNIQUE INDEX partners_tenant ON partners (program_id, tenant_id);
CREATE INDEX partners_account ON partners (account_id, id);

-- Codes are kept as written and compared in lower case.
CREATE TABLE partner_discount_codes (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  code_lower TEXT NOT NULL,
  code TEXT NOT NULL,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  PRIMARY KEY (account_id, code_lower)
);
CREATE INDEX partner_discount_codes_partner ON partner_discount_codes (partner_id);

CREATE TABLE links (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  program_id TEXT NOT NULL REFERENCES programs (id),
  partner_id TEXT NOT NULL REFERENCES partners (id),
  domain TEXT NOT NULL,
  key TEXT NOT NULL,
  url TEXT NOT NULL,
  commission TEXT,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX links_domain_key ON links (domain, key);
CREATE INDEX links_account ON links (account_id, id);
CREATE INDEX links_partner ON links (partner_id);

CREATE TABLE clicks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  link_id TEXT NOT NULL REFERENCES links (id),
  referrer_host TEXT,
  device TEXT,
  country TEXT,
  visitor_hash TEXT,
  created_at BIGINT NOT NULL
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX clicks_link ON clicks (link_id, created_at);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  last_four TEXT NOT NULL,
  rate_limit_per_minute INTEGER,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX api_keys_account ON api_keys (account_id, id);

CREATE TABLE embed_tokens (
  hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  program_id TEXT NOT NULL REFERENCES programs (id),
  partner_id TEXT NOT NULL REFERENCES partners (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX embed_tokens_expiry ON embed_tokens (expires_at);

CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  program_id TEXT NOT NULL REFERENCES programs (id),
  processor TEXT NOT NULL,
  -- AES-256-GCM of JSON {secrets, authorization}; null until a secret is set
  sealed_secrets BYTEA,
  secret_count INTEGER NOT NULL,
  has_authorization INTEGER NOT NULL,
  shop_domain TEXT,
  accept_test_events INTEGER NOT NULL,
  count_stores TEXT,
  count_payment_intents INTEGER NOT NULL,
  -- to the minute, so that deliveries do not wait for each other on this row
  last_delivery_at BIGINT,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id, id);
