-- cost: 15 s and 250 MB per million rows of sales
-- cost: 7 s and 100 MB per million rows of leads
-- cost: 7 s and 110 MB per million rows of deliveries
-- cost: 7 s and 200 MB per million rows of customers

-- Every filter of a list walks an index in the order of the list, so that a page costs a page, however long the history
-- is. Each row is written to each of its indexes, so they are few: they grow at their end, or hold only what is rare.

-- Sales of a partner; for the days at the edges of a period, too.
DROP INDEX sales_partner;
CREATE INDEX sales_partner ON sales (partner_id, created_at, id);
CREATE INDEX sales_processor ON sales (account_id, payment_processor, id);
-- The rare states of a sale, which cost a normal sale nothing. A sale without commission has no entry that shows whether
-- it is pending or approved.
CREATE INDEX sales_review ON sales (account_id, review, id) WHERE review IS NOT NULL;
CREATE INDEX sales_refunded ON sales (account_id, id)
  WHERE voided_reason IS NOT NULL OR (gross_amount > 0 AND refunded_amount >= gross_amount);
CREATE INDEX sales_disputed ON sales (account_id, id) WHERE disputed_open = 1;
CREATE INDEX sales_no_commission ON sales (account_id, id) WHERE commission_amount = 0;
-- due_at: what is still on hold is skipped without reading its row.
DROP INDEX open_entries_sale;
CREATE INDEX open_entries_sale ON open_entries (account_id, sale_id, due_at) WHERE kind = 'commission';

DROP INDEX leads_link;
CREATE INDEX leads_partner ON leads (partner_id, created_at, id);

-- One index for endpoints, processors and outcomes: an endpoint has one processor, and the outcomes are a handful.
CREATE INDEX deliveries_outcome ON deliveries (endpoint_id, outcome, id);
CREATE INDEX deliveries_unprocessed ON deliveries (account_id, status, id) WHERE status <> 'processed';

-- Also finds the queued payouts of a run.
DROP INDEX payouts_waiting;
CREATE INDEX payouts_status ON payouts (account_id, status, id);

-- Text that is new with every customer lands on a random page of its index: the rows that no query looks for stay out.
-- Only an identity without a customer is looked up by its external id, only a known address by e-mail, and a click that
-- is not null by click.
DROP INDEX identities_external;
CREATE INDEX identities_external ON identities (external_id) WHERE customer_id IS NULL AND external_id IS NOT NULL;
DROP INDEX customers_email;
CREATE INDEX customers_email ON customers (account_id, email_lower) WHERE email_lower IS NOT NULL;
DROP INDEX customers_click;
CREATE INDEX customers_click ON customers (click_id, id) WHERE click_id IS NOT NULL;
