-- cost: none

-- Migration 22 missed a reference: migration 6 rebuilt the table while the old one still had the constraint's name, so
-- PostgreSQL gave this one another. It read all sales for each deleted payment.
/* postgres: ALTER TABLE sales DROP CONSTRAINT IF EXISTS sales_payment_id_fkey, DROP CONSTRAINT IF EXISTS sales_payment_id_fkey1 */;
