-- cost: none

-- Discount codes that were reported with the id before a payment was, as at the start of a trial: a JSON list of
-- {code, givenAt, rank}, the earliest first; null: none, or not said.
ALTER TABLE identities ADD COLUMN discount_codes TEXT;
