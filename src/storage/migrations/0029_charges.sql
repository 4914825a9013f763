-- cost: 10 s and 100 MB per million rows of refunds

-- The charge that a report is of, where several may pay one invoice; null: the whole payment, or not said.
ALTER TABLE refunds ADD COLUMN charge_id TEXT;
-- In a cumulative report: what of the charge was authorized, but not captured. The processor may report its release as one
-- of the refunds; null: nothing, or not said.
ALTER TABLE refunds ADD COLUMN released BIGINT;
-- Stripe's cumulative reports are of one charge, which their key names unless it names the invoice:
-- `cumulative `, the reference, a space, the amount
UPDATE refunds SET charge_id = substr(refund_key, 12, length(refund_key) - 12 - length(CAST(amount AS TEXT)))
WHERE kind = 'cumulative' AND processor = 'stripe' AND substr(refund_key, 12, 3) IN ('pi_', 'ch_', 'py_');
