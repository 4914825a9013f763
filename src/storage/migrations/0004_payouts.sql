-- Payout runs: who started a payout, quick ways to what waits, and which scheduled run was done.

ALTER TABLE payouts ADD COLUMN processing_by TEXT;

CREATE INDEX payouts_waiting ON payouts (account_id, id) WHERE status = 'queued';

-- One row per period of the schedule: whoever adds it runs it; one that was not finished may be taken over later.
CREATE TABLE scheduled_runs (
  period TEXT PRIMARY KEY,
  started_at BIGINT NOT NULL,
  finished_at BIGINT
);
