import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import type Stripe from 'stripe';
import { CUSTOMERS, customerOf } from './deliveries.ts';

const SCHEMA = `
  CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE partners (id TEXT PRIMARY KEY, rate REAL NOT NULL);
  CREATE TABLE customers (external_id TEXT PRIMARY KEY, partner_id TEXT NOT NULL REFERENCES partners (id));
  CREATE TABLE sales (id TEXT PRIMARY KEY, invoice_id TEXT NOT NULL UNIQUE,
    customer_id TEXT NOT NULL REFERENCES customers (external_id), partner_id TEXT NOT NULL REFERENCES partners (id),
    amount INTEGER NOT NULL, currency TEXT NOT NULL, commission INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX sales_partner ON sales (partner_id, created_at);
  CREATE INDEX sales_customer ON sales (customer_id, created_at);
  CREATE TABLE payouts (id TEXT PRIMARY KEY, sale_id TEXT NOT NULL REFERENCES sales (id),
    partner_id TEXT NOT NULL REFERENCES partners (id), amount INTEGER NOT NULL, status TEXT NOT NULL);
  CREATE INDEX payouts_partner ON payouts (partner_id, status);
`;

/**
 * How an integrator stores a sale: six statements, a lookup before each insert, the indexes that a partner's and a
 * customer's pages need, and our durability. Call `record` in a transaction.
 */
export function openByHand(path: string) {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(SCHEMA);
  database.prepare('INSERT INTO partners VALUES (?, ?)').run('partner_1', 0.2);
  const addCustomer = database.prepare('INSERT INTO customers VALUES (?, ?)');
  for (let n = 0; n < CUSTOMERS; n++) addCustomer.run(customerOf(n), 'partner_1');

  const findEvent = database.prepare('SELECT id FROM events WHERE id = ?');
  const findSale = database.prepare('SELECT id FROM sales WHERE invoice_id = ?');
  const findCustomer = database.prepare<[string], { external_id: string; partner_id: string; rate: number }>(
    `SELECT c.external_id, c.partner_id, p.rate FROM customers c JOIN partners p ON p.id = c.partner_id
     WHERE c.external_id = ?`,
  );
  const addEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?)');
  const addSale = database.prepare('INSERT INTO sales VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const addPayout = database.prepare('INSERT INTO payouts VALUES (?, ?, ?, ?, ?)');

  function record(event: Stripe.Event, body: string): void {
    if (findEvent.get(event.id)) return;
    addEvent.run(event.id, event.type, body, Date.now());
    if (event.type !== 'invoice.paid') return;
    const invoice = event.data.object;
    if (findSale.get(invoice.id)) return;
    const externalId = invoice.parent?.subscription_details?.metadata?.svcCustomerExternalId;
    const customer = externalId ? findCustomer.get(externalId) : undefined;
    if (!customer) return;
    const amount = invoice.total_excluding_tax ?? invoice.amount_paid;
    const commission = Math.round(amount * customer.rate);
    const saleId = randomUUID();
    const { external_id: customerId, partner_id: partnerId } = customer;
    addSale.run(saleId, invoice.id, customerId, partnerId, amount, invoice.currency, commission, Date.now());
    addPayout.run(randomUUID(), saleId, partnerId, commission, 'queued');
  }
  return { database, record };
}
