import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawReply } from '../../src/app/route.ts';
import { createService } from '../../src/app/service.ts';
import { discloseCustomer } from '../../src/privacy/customers.ts';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

const DELIVERIES = 12;
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
