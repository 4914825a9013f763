/**
 * What an integrator writes by hand: Express, the package's check, one better-sqlite3 transaction per request, a look-up
 * before each insert. The same durability as ours. Environment: DATABASE, SECRET. Prints its port.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import express from 'express';
import Stripe from 'stripe';
import { CUSTOMERS, customerOf } from './deliveries.ts';

const secret = process.env.SECRET ?? '';
const database = new Database(process.env.DATABASE ?? '');
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(`
  CREATE TABLE events (id TEXT PRIMARY KEY, body TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE customers (external_id TEXT PRIMARY KEY, partner_id TEXT NOT NULL);
  CREATE TABLE sales (id TEXT PRIMARY KEY, invoice_id TEXT NOT NULL UNIQUE, partner_id TEXT NOT NULL,
    amount INTEGER NOT NULL, currency TEXT NOT NULL, commission INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE payouts (id TEXT PRIMARY KEY, sale_id TEXT NOT NULL, partner_id TEXT NOT NULL, amount INTEGER NOT NULL,
    status TEXT NOT NULL);
`);
const addCustomer = database.prepare('INSERT INTO customers VALUES (?, ?)');
for (let n = 0; n < CUSTOMERS; n++) addCustomer.run(customerOf(n), 'partner_1');

const findEvent = database.prepare('SELECT id FROM events WHERE id = ?');
const findSale = database.prepare('SELECT id FROM sales WHERE invoice_id = ?');
const findCustomer = database.prepare<[string], { partner_id: string }>(
  'SELECT partner_id FROM customers WHERE external_id = ?',
);
const addEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?)');
const addSale = database.prepare('INSERT INTO sales VALUES (?, ?, ?, ?, ?, ?, ?)');
const addPayout = database.prepare('INSERT INTO payouts VALUES (?, ?, ?, ?, ?)');

const record = database.transaction((event: Stripe.Event, body: string) => {
  if (findEvent.get(event.id)) return;
  addEvent.run(event.id, body, Date.now());
  if (event.type !== 'invoice.paid') return;
  const invoice = event.data.object;
  if (findSale.get(invoice.id)) return;
  const externalId = invoice.parent?.subscription_details?.metadata?.svcCustomerExternalId;
  const customer = externalId ? findCustomer.get(externalId) : undefined;
  if (!customer) return;
  const amount = invoice.total_excluding_tax ?? invoice.amount_paid;
  const commission = Math.round(amount * 0.2);
  const saleId = randomUUID();
  addSale.run(saleId, invoice.id, customer.partner_id, amount, invoice.currency, commission, Date.now());
  addPayout.run(randomUUID(), saleId, customer.partner_id, commission, 'queued');
});

const app = express();
app.post('/webhooks', express.raw({ type: '*/*', limit: '2mb' }), (request, response) => {
  let event: Stripe.Event;
  try {
    event = Stripe.webhooks.constructEvent(request.body, request.get('stripe-signature') ?? '', secret);
  } catch {
    response.status(401).json({ error: 'bad signature' });
    return;
  }
  record(event, request.body.toString('utf8'));
  response.json({ received: true });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
