-- cost: 3 s and 90 MB per million rows of links

-- Where the first link of a new partner leads; null for partners who get none.
ALTER TABLE programs ADD COLUMN default_url TEXT;

-- A partner's links in the order of lists, which their portal shows.
DROP INDEX links_partner;
CREATE INDEX links_partner ON links (partner_id, id);
