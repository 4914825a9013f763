-- Clicks: counted by link and hour as they are recorded, and the salts of their visitors' hashes.

-- An index on clicks by link cost more than the click itself, because each link's entries are on a page of its own:
-- 17 µs a click over 100 links, and 5 µs without (batches of 64, fsync included). This table fits on a few pages.
CREATE TABLE link_clicks (
  link_id TEXT NOT NULL REFERENCES links (id),
  -- hours since 1970, UTC
  hour INTEGER NOT NULL,
  clicks BIGINT NOT NULL,
  PRIMARY KEY (link_id, hour)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO link_clicks (link_id, hour, clicks)
  SELECT link_id, CAST(created_at / 3600000 AS INTEGER), COUNT(*) FROM clicks GROUP BY 1, 2;
DROP INDEX clicks_link;

-- One per day, shared by every process; deleted after 48 hours, and with it what the day's hashes could tell.
CREATE TABLE visitor_salts (
  -- days since 1970, UTC
  day INTEGER PRIMARY KEY,
  salt TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
