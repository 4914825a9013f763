-- cost: 5 s and 90 MB per million rows of deliveries

-- The deliveries of a sale: the payment, its refunds and its disputes. Only deliveries that have a sale are in it.
CREATE INDEX deliveries_sale ON deliveries (sale_id, id) WHERE sale_id IS NOT NULL;

-- Why deliveries of an endpoint were refused, so that somebody who sets it up can see what is wrong. One row per kind of
-- reason, and a few kinds per endpoint; never a body, a signature or an address.
CREATE TABLE webhook_refusals (
  account_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id),
  -- a digest of the reason without its figures
  kind TEXT NOT NULL,
  cause TEXT NOT NULL,
  reason TEXT NOT NULL,
  event_type TEXT,
  -- JSON list of lower-case names
  header_names TEXT NOT NULL,
  refusal_count BIGINT NOT NULL,
  first_refused_at BIGINT NOT NULL,
  last_refused_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, endpoint_id, kind)
);
