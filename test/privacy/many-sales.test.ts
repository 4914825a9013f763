import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/app/service.ts';
import { eraseRemaining } from '../../src/payments/erasure/erase-rest.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { untilTaken } from '../helpers/until-taken.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';
import { withEmail } from './with-email.ts';

const SALES = 120;
const SALES_PER_UNIT_MAX = 50;

describe.each(engines)('erasing a customer with many sales, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  /** The most rows that a query of a report has found. */
  let rowsMax = 0;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());

  async function createBuyer(): Promise<string> {
    const customer = unique('buyer');
    await referrer.lead(customer, { customerEmail: `${customer}@example.com` });
    const sale = {
      customerExternalId: customer,
      amount: 1_000,
      currency: 'usd',
      metadata: { note: `of ${customer}!` },
    };
    const sell = (_: unknown, index: number) => {
      // half of them at the same moment
      const occurredAt = new Date(Date.now() - Math.max(index, SALES / 2) * 1_000).toISOString();
      const body = { ...sale, invoiceId: unique('order'), occurredAt };
      return untilTaken(() => app.call('POST', '/api/sales', { body }));
    };
    const sold = await Promise.all(Array.from({ length: SALES }, sell));
    expect(new Set(sold.map(({ status }) => status))).toEqual(new Set([200]));
    return customer;
  }

  const secretsOf = async (customer: string) => (await placesOf(app.service.database, `of ${customer}!`)).length;

  /** Calls `after` after each unit of work, which may throw as if the process had ended. */
  function watched(after: () => Promise<void>): Service {
    const { database } = app.service;
    const write: Database['write'] = async (unit, options) => {
      const result = await database.write(unit, options);
      await after();
      return result;
    };
    const report: Database['report'] = (unit, options) => {
      const all: Transaction['all'] = async (...query) => {
        const rows = await tx.all(...query);
        rowsMax = Math.max(rowsMax, rows.length);
        return rows as never;
      };
      let tx: Transaction;
      return database.report((actual) => {
        tx = actual;
        return unit({ ...actual, all });
      }, options);
    };
    return createService({ ...app.service, database: { ...database, write, report } });
  }

  /** Erases them as a process that ends after the first unit of work. */
  async function eraseInterrupted(customer: string) {
    const service = watched(() => Promise.reject(new Error('killed')));
    await expect(eraseCustomer(service, app.accountId, customer)).rejects.toThrow('killed');
  }

  it('erases few sales in each unit of work, and all of them before it answers', async () => {
    const customer = await createBuyer();
    const left = [await secretsOf(customer)];
    const service = watched(async () => {
      left.push(await secretsOf(customer));
    });
    await eraseCustomer(service, app.accountId, customer);
    expect(left[0]).toBe(SALES);
    expect(left.at(-1)).toBe(0);
    const erased = left.slice(1).map((count, index) => (left[index] ?? 0) - count);
    expect(Math.max(...erased)).toBeLessThanOrEqual(SALES_PER_UNIT_MAX);
    expect(rowsMax).toBe(SALES_PER_UNIT_MAX);
    await sweep(app.service);
    for (const gone of [`${customer}@example.com`, `of ${customer}!`]) {
      expect(await placesOf(app.service.database, gone)).toEqual([]);
    }
  });

  it('continues after the process ended, from a customer whose profile is already gone, by two processes at once', async () => {
    const customer = await createBuyer();
    await eraseInterrupted(customer);
    expect(await secretsOf(customer)).toBe(SALES - SALES_PER_UNIT_MAX);
    const sales = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    expect(JSON.stringify(sales.body)).not.toContain(`${customer}@example.com`);

    await Promise.all([eraseRemaining(app.service), eraseRemaining(createService({ ...app.service }))]);
    expect(await secretsOf(customer)).toBe(0);
  });

  it('says that it is not over when the server stops, and begins anew for a second customer meanwhile', async () => {
    const [one, other] = [await createBuyer(), await createBuyer()];
    const lifecycle = { draining: true };
    for (const customer of [one, other]) {
      const stopping = createService({ ...app.service, lifecycle });
      await expect(eraseCustomer(stopping, app.accountId, customer)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    }
    await eraseRemaining(app.service);
    for (const customer of [one, other]) expect(await secretsOf(customer)).toBe(0);
  });

  it('does not wait for what is left of another customer', async () => {
    const [one, other] = [await createBuyer(), await createBuyer()];
    await eraseInterrupted(one);
    await eraseCustomer(app.service, app.accountId, other);
    expect(await secretsOf(other)).toBe(0);
    expect(await secretsOf(one)).toBe(SALES - SALES_PER_UNIT_MAX);
    await eraseRemaining(app.service);
    expect(await secretsOf(one)).toBe(0);
  });

  it('goes through their sales once, however often it was begun', async () => {
    const customer = await createBuyer();
    for (let time = 0; time < 4; time += 1) await eraseInterrupted(customer);
    let units = 0;
    const counted = watched(async () => {
      units += 1;
    });
    await eraseRemaining(counted);
    expect(await secretsOf(customer)).toBe(0);
    expect(units).toBe(Math.ceil((SALES - SALES_PER_UNIT_MAX) / SALES_PER_UNIT_MAX));
  });

  it('leaves a payment to whoever signed up with an earlier address of the customer in the meantime', async () => {
    const [customer, other, address] = [unique('user'), unique('other'), `${unique('shared')}@example.com`];
    const stripe = await createEndpoint(app, 'stripe');
    const matchEmails = (emailMatching: boolean) =>
      app.call('PATCH', `/api/programs/${app.programId}`, { body: { emailMatching } });
    const pay = async () => (await stripe.deliver(withEmail(invoicePaid({}), address))).body.outcome;
    await matchEmails(true);
    await referrer.lead(customer, { customerEmail: address });
    expect(await pay()).toBe('sale');
    await referrer.lead(customer, { customerEmail: `${customer}@example.com` });
    for (let sale = 0; sale < SALES_PER_UNIT_MAX; sale += 1) {
      const body = { customerExternalId: customer, amount: 1_000, currency: 'usd', invoiceId: unique('order') };
      expect((await app.call('POST', '/api/sales', { body })).status).toBe(200);
    }
    await eraseInterrupted(customer);
    await matchEmails(false);
    await referrer.lead(other, { customerEmail: address });
    expect(await pay()).toBe('unattributed');
    await sweep(app.service);
    const places = (await placesOf(app.service.database, address)).map((place) => place.split(':')[0]);
    expect(places).toEqual(expect.arrayContaining(['customers.email', 'payments.fact', 'parked_hints.value']));
    expect(places).not.toContain('sales.steps');
  });
});
