-- cost: none

-- Which lines of an order were paid for, and which a refund gave back: what was added to an order later earned nothing.

-- JSON: units by the processor's id of the line. Null when it names no lines, and for sales of earlier versions.
ALTER TABLE sales ADD COLUMN paid_lines TEXT;
-- When the processor wrote the report that the amounts are from. Null when it reports a payment once.
ALTER TABLE sales ADD COLUMN stated_at BIGINT;
-- JSON: the lines in the amount, `[]` when the processor does not say. Null when an earlier version booked the refund:
-- then its amount is converted to the sale's currency and rounded by itself.
ALTER TABLE refunds ADD COLUMN lines TEXT;
