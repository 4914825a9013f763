-- cost: none

-- Imports that the server runs by itself. One that has not ended is the only one of its account.
CREATE TABLE imports (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- `csv`, or the name of a service
  source TEXT NOT NULL,
  -- JSON, without secrets
  settings TEXT NOT NULL,
  -- null when it has none, or has ended
  sealed_secrets BYTEA,
  dry_run INTEGER NOT NULL,
  -- uploading | waiting | running | completed | failed | canceled
  status TEXT NOT NULL,
  -- of its file, and how much of it has arrived; 0 without one
  file_bytes BIGINT NOT NULL,
  received_bytes BIGINT NOT NULL,
  -- JSON: what was counted so far, and the first rows that were refused or left out; null when there is nothing yet
  counts TEXT,
  problems TEXT,
  error TEXT,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  -- how often a process has begun it
  attempts INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  -- the last part of its file, or the last news of its process
  changed_at BIGINT NOT NULL,
  -- not before, after a failure that may pass
  due_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  -- the process that runs it, and until when it may
  leased_by TEXT,
  leased_until BIGINT
);
CREATE INDEX imports_account ON imports (account_id, id);
CREATE UNIQUE INDEX imports_under_way ON imports (account_id) WHERE ended_at IS NULL;

-- The parts of a file, compressed (gzip), until its import has ended.
CREATE TABLE import_parts (
  import_id TEXT NOT NULL REFERENCES imports (id),
  number INTEGER NOT NULL,
  -- before the compression
  bytes INTEGER NOT NULL,
  content BYTEA NOT NULL,
  PRIMARY KEY (import_id, number)
);

-- Permissions to download an account's export; the file is made while it is downloaded.
CREATE TABLE exports (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  download_count INTEGER NOT NULL,
  -- of the last download that was complete
  downloaded_at BIGINT,
  row_count BIGINT
);
CREATE INDEX exports_account ON exports (account_id, id);
