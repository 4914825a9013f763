-- cost: 30 s and 350 MB per million rows of refunds

-- A refund states what it gave back of the net amount, and the later of its success and its failure holds.

-- Null when the processor does not say: a share of the gross then.
ALTER TABLE refunds ADD COLUMN commissionable BIGINT;
-- 1: booked before refunds stated it, and stays a share of the gross whatever is reported again
ALTER TABLE refunds ADD COLUMN by_share INTEGER NOT NULL DEFAULT 0;
-- The processor's time of the latest report that it succeeded, and of the latest that it failed.
ALTER TABLE refunds ADD COLUMN refunded_at BIGINT;
ALTER TABLE refunds ADD COLUMN failed_at BIGINT;
-- What failed was final until now, and was taken from every cumulative amount: it failed at the end of time.
UPDATE refunds SET
  by_share = 1,
  refunded_at = CASE WHEN failed = 1 THEN NULL ELSE occurred_at END,
  failed_at = CASE WHEN failed = 1 THEN 253402300799999 END;

-- 1: from a report that knew the money but not what was sold; the amounts of a later one replace them.
ALTER TABLE sales ADD COLUMN is_bare INTEGER NOT NULL DEFAULT 0;
