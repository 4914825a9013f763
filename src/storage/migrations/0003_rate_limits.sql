-- Requests per API key and window, counted by rate-limiter-flexible (whose columns these are) where several processes
-- share a PostgreSQL database; on SQLite the one process counts in memory and the table stays empty.
CREATE TABLE rate_limits (
  key TEXT PRIMARY KEY,
  points INTEGER NOT NULL,
  expire BIGINT
);
CREATE INDEX rate_limits_expire ON rate_limits (expire);
