-- cost: none

-- The program that an endpoint's payments are for; null: any program of the account. Until now the program of an endpoint
-- was stored and had no effect, so every endpoint starts with null, and its payments go to the partners they went to.
/* postgres: ALTER TABLE webhook_endpoints ALTER COLUMN program_id DROP NOT NULL; */
/* sqlite:
CREATE TABLE new_webhook_endpoints (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  program_id TEXT REFERENCES programs (id),
  processor TEXT NOT NULL,
  sealed_secrets BYTEA,
  last_delivery_at BIGINT,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT,
  settings TEXT NOT NULL DEFAULT '{}',
  secret_counts TEXT NOT NULL DEFAULT '{}'
);
INSERT INTO new_webhook_endpoints
  (id, account_id, program_id, processor, sealed_secrets, last_delivery_at, created_at, deleted_at, settings, secret_counts)
  SELECT id, account_id, NULL, processor, sealed_secrets, last_delivery_at, created_at, deleted_at, settings, secret_counts
  FROM webhook_endpoints ORDER BY id;
DROP TABLE webhook_endpoints;
ALTER TABLE new_webhook_endpoints RENAME TO webhook_endpoints;
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id, id);
*/
UPDATE webhook_endpoints SET program_id = NULL;
