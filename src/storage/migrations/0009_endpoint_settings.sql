-- Each adapter declares the settings of its endpoints: one JSON column stores them, and another the number of secrets of
-- each kind, which cannot be counted without the key that seals them. A missing member has its default.

ALTER TABLE webhook_endpoints ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE webhook_endpoints ADD COLUMN secret_counts TEXT NOT NULL DEFAULT '{}';
UPDATE webhook_endpoints SET
  settings = '{"acceptTestEvents":' || CASE WHEN accept_test_events = 1 THEN 'true' ELSE 'false' END
    || CASE WHEN shop_domain IS NULL THEN '' ELSE ',"shopDomain":"' || shop_domain || '"' END
    || CASE WHEN count_stores IS NULL THEN '' ELSE ',"countStores":' || count_stores END
    || CASE WHEN count_payment_intents = 1 THEN ',"countPaymentIntents":true' ELSE '' END || '}',
  secret_counts = '{"secrets":' || secret_count
    || CASE WHEN has_authorization = 1 THEN ',"authorization":1' ELSE '' END || '}';
ALTER TABLE webhook_endpoints DROP COLUMN secret_count;
ALTER TABLE webhook_endpoints DROP COLUMN has_authorization;
ALTER TABLE webhook_endpoints DROP COLUMN shop_domain;
ALTER TABLE webhook_endpoints DROP COLUMN accept_test_events;
ALTER TABLE webhook_endpoints DROP COLUMN count_stores;
ALTER TABLE webhook_endpoints DROP COLUMN count_payment_intents;
