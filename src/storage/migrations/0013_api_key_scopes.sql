-- cost: none

-- What a key may do: `track`, `read` or `full`. Keys from before this, and those of an older process beside this one, may
-- do everything.
ALTER TABLE api_keys ADD COLUMN scope TEXT NOT NULL DEFAULT 'full';
