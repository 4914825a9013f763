-- cost: 2 s and 20 MB per million rows of identities

-- Since when a customer's personal data must not be stored any more.
ALTER TABLE customers ADD COLUMN erased_at BIGINT;

-- Hashes of what names an erased person, so that later reports do not bring their data back, and of endpoints whose bodies
-- are to be deleted.
CREATE TABLE erasure_marks (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  mark TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, mark)
) /* sqlite: WITHOUT ROWID */;

-- Once an id is assigned to a customer, the customer's own row says who that is.
UPDATE identities SET email_lower = NULL, name = NULL
WHERE customer_id IS NOT NULL AND (email_lower IS NOT NULL OR name IS NOT NULL);
