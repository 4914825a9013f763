import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawReply } from '../../src/app/route.ts';
import { createService } from '../../src/app/service.ts';
import type { PaymentReceived } from '../../src/core/facts.ts';
import { discloseCustomer } from '../../src/privacy/customers.ts';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

const DELIVERIES = 12;
/** More than a unit of work erases. */
const MANY = 51;
const PADDING = 'x'.repeat(100_000);
const BODY_BYTES_MAX = 110_000;

describe.each(engines)('everything about a customer with large webhooks, on %s', (engine) => {
  let app: TestApp;
  const customer = unique('user');
  beforeAll(async () => {
    app = await createTestApp(engine);
    const stripe = await createEndpoint(app, 'stripe');
    await (await createReferrer(app)).lead(customer);
    for (let count = 0; count < DELIVERIES; count += 1) {
      const event = { ...checkoutCompleted({ externalId: customer }), padding: PADDING };
      expect((await stripe.deliver(event)).body.outcome).toBe('sale');
    }
  });
  afterAll(() => app.close());

  it('is read and sent with one webhook at a time', async () => {
    const bytes: number[] = [];
    const service = createService({ ...app.service, database: { ...app.service.database, report: measured(bytes) } });
    const reply = await discloseCustomer(service, app.accountId, customer);
    const lengths: number[] = [];
    const answer = (await json(withLengths(reply.content, lengths))) as { deliveries: { body: string }[] };
    expect(answer.deliveries.map(({ body }) => JSON.parse(body).padding)).toEqual(Array(DELIVERIES).fill(PADDING));
    expect(Math.max(...bytes)).toBeGreaterThan(PADDING.length);
    expect(Math.max(...bytes)).toBeLessThan(BODY_BYTES_MAX);
    expect(Math.max(...lengths)).toBeLessThan(BODY_BYTES_MAX);
  });

  it('is one answer for its reader', async () => {
    const { status, body, headers } = await app.call('GET', `/api/customers/${customer}/personal-data`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toMatchObject({ externalId: customer, sales: expect.any(Array) });
    expect(body.deliveries).toHaveLength(DELIVERIES);
  });

  it.each(['externalId', 'id'])('names all of many sales and parked payments, also by their %s', async (named) => {
    const user = unique('user');
    await (await createReferrer(app)).lead(user);
    const pay = (changes: Partial<PaymentReceived>) =>
      applyFacts(app.service, app.accountId, received([unique('in')], hints({ externalId: user }), changes));
    for (let count = 0; count < MANY; count += 1) {
      expect(await pay({})).toMatchObject({ outcome: 'sale' });
      expect(await pay({ onlyPrograms: [asId('prg_other')] })).toMatchObject({ outcome: 'unattributed' });
    }
    const customer = (await app.call('GET', `/api/customers/${user}`)).body;
    const { body } = await app.call('GET', `/api/customers/${customer[named]}/personal-data`);
    expect([body.sales.length, body.parkedPayments.length]).toEqual([MANY, MANY]);
  });

  /** Adds how many bytes of bodies each report has read. */
  function measured(bytes: number[]): Database['report'] {
    return (unit, options) =>
      app.service.database.report(async (tx) => {
        let read = 0;
        const get: Transaction['get'] = async (...query) => {
          const row = await tx.get<Record<string, unknown>>(...query);
          for (const value of Object.values(row ?? {})) if (value instanceof Uint8Array) read += value.length;
          return row as never;
        };
        const result = await unit({ ...tx, get });
        bytes.push(read);
        return result;
      }, options);
  }

  async function* withLengths(content: RawReply['content'], lengths: number[]) {
    for await (const chunk of content as AsyncIterable<string>) {
      lengths.push(chunk.length);
      yield chunk;
    }
  }
});
