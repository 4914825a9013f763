import { invoiceOf, invoicePaid, signedRequest } from '../deliveries.ts';

export const SUBJECTS = ['sale', 'lead', 'webhook'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** The customers that exist before the run; each came through the click with the same number. */
export const CUSTOMERS = 200;
export const PARTNERS = 20;

/** Where a contender receives each kind of request, and with which credentials. */
export interface Target {
  apiKey: string;
  secret: string;
  webhookPath: string;
  clickIds: readonly string[];
}

/** What payment or lead number `n` of a run is stored under: its invoice, or its customer. */
export function idOf(subject: Subject, n: number, run: string): string {
  if (subject === 'webhook') return invoiceOf(n, run);
  return subject === 'sale' ? `inv_${run}${n}` : `new_${run}${n}`;
}

/** The whole HTTP request of payment or lead number `n` of a run, the same for every contender except for its target. */
export function requestOf(subject: Subject, n: number, run: string, target: Target): Buffer {
  const { apiKey, secret, webhookPath, clickIds } = target;
  if (subject === 'webhook') return signedRequest(invoicePaid(n, run), webhookPath, secret);
  const clickId = clickIds[n % clickIds.length];
  const body =
    subject === 'sale'
      ? { clickId, customerExternalId: customerOf(n), amount: 2_000, invoiceId: idOf(subject, n, run) }
      : {
          clickId,
          eventName: 'Sign up',
          customerExternalId: idOf(subject, n, run),
          customerEmail: `new${run}${n}@example.com`,
        };
  return jsonRequest(`/api/track/${subject}`, apiKey, Buffer.from(JSON.stringify(body)));
}

/** The customer's id, as the deliveries contain it. */
export function customerOf(n: number): string {
  return `bench_user_${n % CUSTOMERS}`;
}

export function jsonRequest(path: string, apiKey: string, body: Buffer): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Authorization: Bearer ${apiKey}`,
    `Content-Length: ${body.length}`,
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), body]);
}
