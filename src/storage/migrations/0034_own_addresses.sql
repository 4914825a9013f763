-- cost: none

-- When the operator set their e-mail address themselves, which proves nothing about it; null: an owner has invited them
-- under it, or an earlier version stored it.
ALTER TABLE operators ADD COLUMN own_email_at BIGINT;
