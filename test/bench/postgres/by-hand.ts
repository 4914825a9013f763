import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type Stripe from 'stripe';

/** Tables with the indexes that the pages of partners and customers need. */
export const SCHEMA = `
  CREATE TABLE api_keys (hash TEXT PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL);
  CREATE TABLE partners (id TEXT PRIMARY KEY, rate DOUBLE PRECISION NOT NULL);
  CREATE TABLE clicks (id TEXT PRIMARY KEY, partner_id TEXT NOT NULL REFERENCES partners (id));
  CREATE TABLE customers (external_id TEXT PRIMARY KEY, partner_id TEXT NOT NULL REFERENCES partners (id), email TEXT);
  CREATE TABLE leads (id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers (external_id),
    event_name TEXT NOT NULL, created_at BIGINT NOT NULL, UNIQUE (customer_id, event_name));
  CREATE TABLE sales (id TEXT PRIMARY KEY, invoice_id TEXT NOT NULL UNIQUE,
    customer_id TEXT NOT NULL REFERENCES customers (external_id), partner_id TEXT NOT NULL REFERENCES partners (id),
    amount BIGINT NOT NULL, currency TEXT NOT NULL, commission BIGINT NOT NULL, created_at BIGINT NOT NULL);
  CREATE INDEX sales_partner ON sales (partner_id, created_at);
  CREATE INDEX sales_customer ON sales (customer_id, created_at);
  CREATE TABLE payouts (id TEXT PRIMARY KEY, sale_id TEXT NOT NULL REFERENCES sales (id),
    partner_id TEXT NOT NULL REFERENCES partners (id), amount BIGINT NOT NULL, status TEXT NOT NULL);
  CREATE INDEX payouts_partner ON payouts (partner_id, status);
`;

/** What an integrator's backend sends with a sale or a lead. */
export interface Tracked {
  clickId: string;
  customerExternalId: string;
  customerEmail?: string;
  eventName?: string;
  invoiceId?: string;
  amount?: number;
}

/** Runs a named query, so that each connection prepares it only once. */
async function rowsOf<Row>(client: pg.ClientBase, name: string, text: string, values: unknown[]): Promise<Row[]> {
  return (await client.query({ name, text, values })).rows as Row[];
}

const findSale = (client: pg.ClientBase, invoiceId: string) =>
  rowsOf(client, 'find_sale', 'SELECT id FROM sales WHERE invoice_id = $1', [invoiceId]);

const findClick = (client: pg.ClientBase, id: string) =>
  rowsOf<{ partner_id: string; rate: number }>(
    client,
    'find_click',
    'SELECT k.partner_id, p.rate FROM clicks k JOIN partners p ON p.id = k.partner_id WHERE k.id = $1',
    [id],
  );

const findCustomer = (client: pg.ClientBase, externalId: string) =>
  rowsOf<{ external_id: string; partner_id: string; rate: number }>(
    client,
    'find_customer',
    `SELECT c.external_id, c.partner_id, p.rate FROM customers c JOIN partners p ON p.id = c.partner_id
     WHERE c.external_id = $1`,
    [externalId],
  );

const addEvent = (client: pg.ClientBase, id: string, type: string, body: string) =>
  rowsOf(client, 'add_event', 'INSERT INTO events VALUES ($1, $2, $3, $4)', [id, type, body, Date.now()]);

async function addSale(
  client: pg.ClientBase,
  sale: { invoiceId: string; customerId: string; partnerId: string; amount: number; commission: number },
): Promise<void> {
  const id = randomUUID();
  const { invoiceId, customerId, partnerId, amount, commission } = sale;
  const values = [id, invoiceId, customerId, partnerId, amount, 'usd', commission, Date.now()];
  await rowsOf(client, 'add_sale', 'INSERT INTO sales VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', values);
  const payout = [randomUUID(), id, partnerId, commission, 'queued'];
  await rowsOf(client, 'add_payout', 'INSERT INTO payouts VALUES ($1, $2, $3, $4, $5)', payout);
}

/** Six statements: the click, the invoice, the customer, the received body, the sale, the commission. */
export async function recordSale(client: pg.ClientBase, sale: Tracked, body: string): Promise<boolean> {
  const { clickId, customerExternalId, invoiceId = '', amount = 0 } = sale;
  const [click] = await findClick(client, clickId);
  const [known] = await findSale(client, invoiceId);
  const [customer] = await findCustomer(client, customerExternalId);
  if (!click || known || !customer) return false;
  await addEvent(client, `sale ${invoiceId}`, 'sale', body);
  const { partner_id: partnerId } = click;
  const commission = Math.round(amount * click.rate);
  await addSale(client, { invoiceId, customerId: customerExternalId, partnerId, amount, commission });
  return true;
}

/** Six statements: the click, the customer, a new customer, the lead, the new lead, the received body. */
export async function recordLead(client: pg.ClientBase, lead: Tracked, body: string): Promise<boolean> {
  const { clickId, customerExternalId: id, customerEmail: email, eventName } = lead;
  const [click] = await findClick(client, clickId);
  if (!click) return false;
  const [customer] = await findCustomer(client, id);
  if (!customer) {
    const values = [id, click.partner_id, email];
    await rowsOf(client, 'add_customer', 'INSERT INTO customers VALUES ($1, $2, $3)', values);
  }
  const find = 'SELECT id FROM leads WHERE customer_id = $1 AND event_name = $2';
  const [known] = await rowsOf(client, 'find_lead', find, [id, eventName]);
  if (known) return true;
  const values = [randomUUID(), id, eventName, Date.now()];
  await rowsOf(client, 'add_lead', 'INSERT INTO leads VALUES ($1, $2, $3, $4)', values);
  await addEvent(client, `lead ${id}`, 'lead', body);
  return true;
}

/** Six statements: the event, the invoice, the customer, the new event, the sale, the commission. */
export async function recordWebhook(client: pg.ClientBase, event: Stripe.Event, body: string): Promise<boolean> {
  if (event.type !== 'invoice.paid') return true;
  const [known] = await rowsOf(client, 'find_event', 'SELECT id FROM events WHERE id = $1', [event.id]);
  if (known) return true;
  const { id: invoiceId, amount_paid, total_excluding_tax, parent } = event.data.object;
  const [sold] = await findSale(client, invoiceId ?? '');
  const externalId = parent?.subscription_details?.metadata?.svcCustomerExternalId ?? '';
  const [customer] = await findCustomer(client, externalId);
  if (sold || !customer) return false;
  await addEvent(client, event.id, event.type, body);
  const { partner_id: partnerId, rate } = customer;
  const amount = total_excluding_tax ?? amount_paid;
  const commission = Math.round(amount * rate);
  await addSale(client, { invoiceId: invoiceId ?? '', customerId: externalId, partnerId, amount, commission });
  return true;
}
