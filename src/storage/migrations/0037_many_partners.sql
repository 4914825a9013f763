-- cost: 9 s and 300 MB per million rows of partners
-- cost: 6 s and 180 MB per million rows of links

-- Lists of one program, of partners and links in use, and of archived ones, each in the order of ids.
CREATE INDEX partners_in_use ON partners (program_id, id) WHERE archived_at IS NULL AND deleted_at IS NULL;
CREATE INDEX partners_archived ON partners (program_id, id) WHERE archived_at IS NOT NULL;
CREATE INDEX partners_archived_account ON partners (account_id, id) WHERE archived_at IS NOT NULL;
CREATE INDEX links_in_use ON links (program_id, id) WHERE archived_at IS NULL AND deleted_at IS NULL;
CREATE INDEX links_archived ON links (program_id, id) WHERE archived_at IS NOT NULL;
CREATE INDEX links_archived_account ON links (account_id, id) WHERE archived_at IS NOT NULL;

-- Searches by the start of a name, an address or a key. Only ASCII letters are folded, by both engines alike.
CREATE INDEX partners_name ON partners (account_id, LOWER(name /* postgres: COLLATE "C" */), id);
CREATE INDEX partners_address ON partners (account_id, LOWER(email /* postgres: COLLATE "C" */), id);
CREATE INDEX links_key ON links (account_id, LOWER(key /* postgres: COLLATE "C" */), id);
