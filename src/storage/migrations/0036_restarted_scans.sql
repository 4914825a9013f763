-- cost: none

-- Which restart of a scan for erased persons its position belongs to: a scan notices a later erasure by it, even where
-- the erasure finds the position at the start.
ALTER TABLE job_cursors ADD COLUMN restart_id TEXT NOT NULL DEFAULT '';

-- Earlier versions lost an erasure that came while the scans for an earlier one ran, so they run once more.
INSERT INTO job_cursors (job, account_id, last_id, restart_id)
SELECT j.job, a.id, j.last_id, 'migration 36'
FROM accounts a, (
  SELECT 'erase bodies' AS job, 'dlv_' AS last_id
  UNION ALL SELECT 'erase persons in events', ''
  UNION ALL SELECT 'erase identities', '{"processor":"","kind":"","value":""}'
) j
WHERE EXISTS (SELECT 1 FROM erasure_marks m WHERE m.account_id = a.id)
ON CONFLICT (job, account_id) DO UPDATE SET last_id = excluded.last_id, restart_id = excluded.restart_id;
