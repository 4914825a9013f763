/**
 * What an integrator would write by hand: Express, `pg` with a pool of 10, the processor's package, a transaction of
 * six prepared statements for each request. Environment: DATABASE_URL, SECRET. Prints its port.
 */
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import pg from 'pg';
import Stripe from 'stripe';
import { recordLead, recordSale, recordWebhook } from './by-hand.ts';

const secret = process.env.SECRET ?? '';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const FIND_KEY = { name: 'find_key', text: 'SELECT name FROM api_keys WHERE hash = $1' };

async function isKnownKey(authorization = ''): Promise<boolean> {
  const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest('hex');
  return (await pool.query({ ...FIND_KEY, values: [hash] })).rows.length === 1;
}

async function inTransaction(work: (client: pg.ClientBase) => Promise<boolean>): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const isRecorded = await work(client);
    await client.query('COMMIT');
    return isRecorded;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

function answer(response: Response, isRecorded: boolean): void {
  response.status(isRecorded ? 200 : 409).json({ recorded: isRecorded });
}

const app = express();
for (const [path, record] of [
  ['/api/track/sale', recordSale],
  ['/api/track/lead', recordLead],
] as const) {
  app.post(path, express.json(), async (request, response) => {
    if (!(await isKnownKey(request.get('authorization')))) return void response.status(401).end();
    const body = JSON.stringify(request.body);
    answer(response, await inTransaction((client) => record(client, request.body, body)));
  });
}
app.post('/webhooks', express.raw({ type: '*/*', limit: '2mb' }), async (request, response) => {
  let event: Stripe.Event;
  try {
    event = Stripe.webhooks.constructEvent(request.body, request.get('stripe-signature') ?? '', secret);
  } catch {
    return void response.status(401).json({ error: 'bad signature' });
  }
  answer(response, await inTransaction((client) => recordWebhook(client, event, request.body.toString('utf8'))));
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
