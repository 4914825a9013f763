-- Written with every sale and read by nobody: a payment's endpoint is its delivery's, an entry's program its partner's.
ALTER TABLE payments DROP COLUMN endpoint_id;
ALTER TABLE ledger_entries DROP COLUMN program_id;
