-- cost: none

-- Who issued an embed token: the id of an API key or operator, or `command line`; null: an earlier version, or it is the
-- session of a portal link.
ALTER TABLE embed_tokens ADD COLUMN issued_by TEXT;
