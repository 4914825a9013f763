/**
 * What an integrator would write by hand: Express, the package's signature check, one better-sqlite3 transaction per
 * request. Environment: DATABASE, SECRET. Prints its port.
 */
import type { AddressInfo } from 'node:net';
import express from 'express';
import Stripe from 'stripe';
import { openByHand } from './by-hand.ts';

const secret = process.env.SECRET ?? '';
const { database, record } = openByHand(process.env.DATABASE ?? '');
const commit = database.transaction(record);

const app = express();
app.post('/webhooks', express.raw({ type: '*/*', limit: '2mb' }), (request, response) => {
  let event: Stripe.Event;
  try {
    event = Stripe.webhooks.constructEvent(request.body, request.get('stripe-signature') ?? '', secret);
  } catch {
    response.status(401).json({ error: 'bad signature' });
    return;
  }
  commit(event, request.body.toString('utf8'));
  response.json({ received: true });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
