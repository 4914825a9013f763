-- cost: 5 s and 80 MB per million rows of customers

-- The list of customers, the newest first. It grows at its end, which costs a new customer little.
CREATE INDEX customers_account ON customers (account_id, id);
