-- cost: none

-- The parameters in which a redirect carries the click id, svc_id among them, and those that name a link on a company's
-- own pages; both as JSON lists.
ALTER TABLE programs ADD COLUMN click_parameters TEXT NOT NULL DEFAULT '["svc_id"]';
ALTER TABLE programs ADD COLUMN via_parameters TEXT NOT NULL DEFAULT '["via"]';

-- Ids that the clients of other products give to links; only the compatibility API knows them.
CREATE TABLE link_external_ids (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  external_id TEXT NOT NULL,
  link_id TEXT NOT NULL REFERENCES links (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, external_id)
);
CREATE UNIQUE INDEX link_external_ids_link ON link_external_ids (link_id);
