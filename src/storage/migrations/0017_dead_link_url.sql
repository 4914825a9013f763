-- cost: none

-- Where visitors of a link that does not exist go, on the domains of the program's account; null for a page that says so.
ALTER TABLE programs ADD COLUMN dead_link_url TEXT;
