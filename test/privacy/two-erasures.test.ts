import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markOf } from '../../src/app/person-marks.ts';
import type { Service } from '../../src/app/service.ts';
import { eraseMentions } from '../../src/inbox/erase-bodies.ts';
import { addMark } from '../../src/inbox/marks.ts';
import { eraseMentionedIdentities } from '../../src/payments/erasure/erase-identities.ts';
import { eraseFromEvents } from '../../src/privacy/events.ts';
import type { Database } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { invoicePaid, stripeEvent } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';

const HOUR_MS = 3_600_000;

type Scan = (service: Service) => Promise<unknown>;

describe.each(engines)('an erasure during the scan for an earlier one, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let lateMs = 0;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.now() + lateMs } });
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    const hooks = { url: 'https://hooks.example.com/in', types: ['lead.created'] };
    expect((await app.call('POST', '/api/event-endpoints', { body: hooks })).status).toBe(201);
    // what was delivered within the last minutes is left to a later scan
    lateMs = HOUR_MS;
  });
  afterAll(() => app.close());

  const emailOf = (customer: string) => `${customer}@example.com`;
  const stored = (customer: string) => placesOf(app.service.database, emailOf(customer));

  async function livedThrough(customer: string) {
    lateMs = 0;
    await referrer.lead(customer, { customerEmail: emailOf(customer) });
    // mentions the person without belonging to one of their payments
    await stripe.deliver(stripeEvent('product.updated', { id: unique('prod'), email: emailOf(customer) }));
    lateMs = HOUR_MS;
  }

  async function erase(customer: string) {
    expect((await app.call('DELETE', `/api/customers/${customer}/personal-data`)).status).toBe(204);
  }

  /** Runs a scan, and something else before or after the first unit that it stores. */
  async function scanAround(scan: Scan, happening: { before?: () => Promise<void>; after?: () => Promise<void> }) {
    const { database } = app.service;
    let isFirst = true;
    const write: Database['write'] = async (unit, options) => {
      const { before, after } = isFirst ? happening : {};
      isFirst = false;
      await before?.();
      const result = await database.write(unit, options);
      await after?.();
      return result;
    };
    await scan({ ...app.service, database: { ...database, write } });
    expect(isFirst).toBe(false);
  }

  it('erases both addresses of parked payments in an account without processors’ ids', async () => {
    const [early, late, other] = [unique('user'), unique('user'), unique('user')];
    await livedThrough(other);
    lateMs = 0;
    for (const customer of [early, late]) {
      const paid = invoicePaid({});
      const payer = { customer: null, customer_email: emailOf(customer) };
      const { body } = await stripe.deliver({
        ...paid,
        data: { object: { ...(paid.data.object as object), ...payer } },
      });
      expect(body).toMatchObject({ outcome: 'unattributed' });
    }
    lateMs = HOUR_MS;
    // as an earlier version left a parked payment whose address was erased
    const eraseAddress = async (customer: string) => {
      const mark = markOf(app.accountId, 'email', emailOf(customer));
      await app.service.database.write((tx) => addMark(tx, app.accountId, mark, Date.now()));
      await erase(other);
    };
    await eraseAddress(early);
    await scanAround(eraseMentionedIdentities, { before: () => eraseAddress(late) });
    await eraseFromEvents(app.service);
    await eraseMentions(app.service);
    for (const customer of [early, late]) expect(await stored(customer)).toEqual([]);
  });

  describe.each([
    ['events', eraseFromEvents],
    ['webhook bodies', eraseMentions],
  ] as const)('of %s', (_, scan: Scan) => {
    const others = scan === eraseMentions ? eraseFromEvents : eraseMentions;

    it.each([
      ['before the first part is stored', (late: string) => ({ before: () => erase(late) })],
      ['after a part was stored', (late: string) => ({ after: () => erase(late) })],
      [
        'when another process has ended the scan',
        (late: string) => ({
          async before() {
            await scan(app.service);
            await erase(late);
          },
        }),
      ],
    ] as const)('erases both persons: %s', async (_moment, happening) => {
      const [early, late] = [unique('user'), unique('user')];
      await livedThrough(early);
      await livedThrough(late);
      await erase(early);
      await scanAround(scan, happening(late));
      await others(app.service);
      for (const customer of [early, late]) expect(await stored(customer)).toEqual([]);
    });
  });
});
