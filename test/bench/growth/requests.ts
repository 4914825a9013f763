/** Writes as integrators, processors and browsers send them, each with new ids, for customers of the filled database. */
import { randomBytes } from 'node:crypto';
import { paidInvoice, signedRequest } from '../deliveries.ts';
import { hasClickId, visitOf } from '../redirects.ts';
import type { Dataset } from './dataset.ts';
import { linkKey } from './fill/rows.ts';
import { mix } from './fill/scatter.ts';

export const WRITE_KINDS = ['webhook', 'sale', 'lead', 'click'] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

/** The customers that requests refer to: `count` customers, starting with number `first`. */
export interface CustomerPool {
  first: number;
  count: number;
}

/** The length of processors' and callers' ids, which are as scattered as the stored ones. */
const ID_BYTES = 12;

export function everybody({ customers }: Dataset): CustomerPool {
  return { first: 0, count: customers };
}

/** Creates requests of one kind one after the other, each with new ids. */
export function createRequests(dataset: Dataset, pool: CustomerPool): (kind: WriteKind) => Buffer {
  const { names, shape, webhook, apiKey } = dataset;
  const run = randomBytes(4).readUInt32LE();
  let made = 0;

  function webhookOf(customer: number): Buffer {
    const body = paidInvoice({
      event: `evt_${randomId()}`,
      invoice: `in_${randomId()}`,
      customer: names.processorCustomer(customer),
      subscription: null,
      paymentIntent: `pi_${randomId()}`,
      externalId: names.externalId(customer),
      email: names.email(customer),
    });
    return signedRequest(body, webhook.path, webhook.secret);
  }

  function saleOf(customer: number): Buffer {
    const person = { clickId: names.click(customer), customerExternalId: names.externalId(customer) };
    return postRequest('/api/track/sale', apiKey, { ...person, amount: 4_900, invoiceId: `inv_${randomId()}` });
  }

  function leadOf(customer: number): Buffer {
    const id = randomId();
    const person = { customerExternalId: `user_${id}`, customerEmail: `${id}@example.com` };
    const lead = { clickId: names.click(customer), eventName: 'Sign up', ...person };
    return postRequest('/api/track/lead', apiKey, lead);
  }

  return (kind) => {
    made += 1;
    const customer = pool.first + (mix(made, run) % pool.count);
    if (kind === 'webhook') return webhookOf(customer);
    if (kind === 'sale') return saleOf(customer);
    if (kind === 'lead') return leadOf(customer);
    return visitOf(linkKey(shape.linkOf(customer)), made);
  };
}

/** What counts as an acknowledgement. */
export function isAcknowledged(kind: WriteKind): (head: string) => boolean {
  return kind === 'click' ? hasClickId : (head) => head.startsWith('HTTP/1.1 200 ');
}

function randomId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

function postRequest(path: string, apiKey: string, body: object): Buffer {
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    '',
    '',
  ].join('\r\n');
  return Buffer.from(head + text);
}
