import { randomBytes } from 'node:crypto';
import { paidInvoice } from '../deliveries.ts';
import { jsonRequest } from '../postgres/requests.ts';

export function anyOf<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

/** As scattered as the ids of processors and callers. */
export function randomId(): string {
  return randomBytes(12).toString('hex');
}

/** Without a credential when `bearer` is empty. */
export function getRequest(path: string, bearer: string): Buffer {
  const authorization = bearer === '' ? [] : [`Authorization: Bearer ${bearer}`];
  return Buffer.from([`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...authorization, '', ''].join('\r\n'));
}

export function postRequest(path: string, apiKey: string, body: object): Buffer {
  return jsonRequest(path, apiKey, Buffer.from(JSON.stringify(body)));
}

/** The `invoice.paid` of the invoice `in_<id>`. */
export function paidBy(externalId: string, id: string): Buffer {
  return paidInvoice({
    event: `evt_${id}`,
    invoice: `in_${id}`,
    customer: `cus_${externalId}`,
    subscription: null,
    paymentIntent: `pi_${id}`,
    externalId,
    email: 'guest@example.com',
  });
}

/** The `charge.refunded` that refunds this invoice in full. */
export function refundOf(invoice: string): Buffer {
  const id = randomId();
  const charge = {
    id: `ch_${id}`,
    object: 'charge',
    amount: 2_380,
    amount_refunded: 2_380,
    refunded: true,
    invoice,
    currency: 'usd',
    payment_intent: null,
    customer: null,
    metadata: {},
  };
  const event = {
    id: `evt_${id}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(Date.now() / 1000),
    livemode: true,
    type: 'charge.refunded',
    data: { object: charge },
  };
  return Buffer.from(JSON.stringify(event));
}
