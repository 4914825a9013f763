-- cost: none

-- People who sign in to an account, and what they and its API keys change. Codes and tokens are stored as SHA-256 only.

CREATE TABLE operators (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  -- in lower case; null for an owner whom the command line has made
  email TEXT,
  role TEXT NOT NULL,
  -- scrypt with its parameters and salt; null until a password is set
  password TEXT,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT
);
CREATE UNIQUE INDEX operators_email ON operators (account_id, email);
CREATE INDEX operators_account ON operators (account_id, id);
-- Signing in by e-mail address names no account.
CREATE INDEX operators_password ON operators (email, id) WHERE password IS NOT NULL;

CREATE TABLE sign_in_codes (
  hash TEXT PRIMARY KEY,
  operator_id TEXT NOT NULL REFERENCES operators (id),
  purpose TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT
);
CREATE INDEX sign_in_codes_operator ON sign_in_codes (operator_id);
CREATE INDEX sign_in_codes_expiry ON sign_in_codes (expires_at, hash);

CREATE TABLE operator_sessions (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  operator_id TEXT NOT NULL REFERENCES operators (id),
  hash TEXT NOT NULL UNIQUE,
  opened_by TEXT NOT NULL,
  user_agent TEXT,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX operator_sessions_account ON operator_sessions (account_id, id);
CREATE INDEX operator_sessions_operator ON operator_sessions (operator_id, id);
CREATE INDEX operator_sessions_expiry ON operator_sessions (expires_at, id);

-- Append-only. Names are copied: an operator may be removed, and a key or operator renamed.
CREATE TABLE audit_log (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  action TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  -- JSON: {member: {before, after}} of the members that changed
  changes TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX audit_log_account ON audit_log (account_id, id);
CREATE INDEX audit_log_actor ON audit_log (account_id, actor_id, id);
CREATE INDEX audit_log_resource ON audit_log (account_id, resource_id, id);
CREATE INDEX audit_log_action ON audit_log (account_id, action, id);

-- One-time codes of portal links. The session that one becomes is an embed token of another kind.
CREATE TABLE portal_codes (
  hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  program_id TEXT NOT NULL REFERENCES programs (id),
  partner_id TEXT NOT NULL REFERENCES partners (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at BIGINT
);
CREATE INDEX portal_codes_expiry ON portal_codes (expires_at, hash);
