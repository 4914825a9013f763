-- cost: none

-- Events sent out. An event is stored in the unit of work of what it tells, with a row for each endpoint that gets it.

CREATE TABLE event_endpoints (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- webhook: we post to its URL | listener: somebody fetches, for a while
  kind TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT,
  -- the types, each with a space before and after it
  types TEXT NOT NULL,
  sealed_secrets BYTEA,
  -- enabled | disabled | deleted
  status TEXT NOT NULL,
  disabled_reason TEXT,
  disabled_at BIGINT,
  created_at BIGINT NOT NULL,
  -- the failures in a row, and since when; nothing is sent before paused_until
  failures INTEGER NOT NULL,
  failing_since BIGINT,
  paused_until BIGINT,
  last_success_at BIGINT,
  -- the process that sends to it, and until when it may; of a listener, when it last fetched
  leased_by TEXT,
  leased_until BIGINT,
  seen_at BIGINT,
  -- how far the sales on hold are noted for sale.approved; null when there is nothing left to note
  approvals_after TEXT
);
CREATE INDEX event_endpoints_account ON event_endpoints (account_id, id);
CREATE INDEX event_endpoints_sending ON event_endpoints (id) WHERE status = 'enabled' AND kind = 'webhook';
CREATE INDEX event_endpoints_listening ON event_endpoints (seen_at, id) WHERE status = 'enabled' AND kind = 'listener';
CREATE INDEX event_endpoints_approvals ON event_endpoints (id) WHERE approvals_after IS NOT NULL;

CREATE TABLE events (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  type TEXT NOT NULL,
  -- JSON, byte for byte as it is signed and sent
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- A deletion of old events walks them by endpoint and event.
CREATE TABLE event_deliveries (
  endpoint_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- waiting | delivered | failed
  status TEXT NOT NULL,
  -- all attempts, and those since it was last sent anew, which the schedule counts
  attempts INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  -- null when it is not waiting, and for a listener
  next_attempt_at BIGINT,
  attempted_at BIGINT,
  response_status INTEGER,
  error TEXT,
  delivered_at BIGINT,
  occurred_at BIGINT NOT NULL,
  PRIMARY KEY (endpoint_id, event_id)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX event_deliveries_due ON event_deliveries (endpoint_id, next_attempt_at, event_id)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX event_deliveries_status ON event_deliveries (endpoint_id, status, event_id);

CREATE TABLE event_attempts (
  endpoint_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  attempted_at BIGINT NOT NULL,
  duration_ms INTEGER NOT NULL,
  response_status INTEGER,
  error TEXT,
  -- the start of what the endpoint answered
  response TEXT,
  PRIMARY KEY (endpoint_id, event_id, number)
) /* sqlite: WITHOUT ROWID */;

-- Sales whose approval will be told, in accounts where somebody wants to know. due_at: null while it cannot be approved,
-- because it is refunded, disputed or waits for a review.
CREATE TABLE event_approvals (
  account_id TEXT NOT NULL,
  sale_id TEXT NOT NULL,
  due_at BIGINT,
  PRIMARY KEY (account_id, sale_id)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX event_approvals_due ON event_approvals (due_at, account_id, sale_id) WHERE due_at IS NOT NULL;
