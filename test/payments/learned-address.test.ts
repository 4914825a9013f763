import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { type Arrivals, facts, lead, MIA } from '../helpers/arrivals.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { hints, identified, received } from '../helpers/facts.ts';
import { createTestService } from '../helpers/service.ts';

/** Only Stripe knows the address of the customer, by which the payment is attributed. */
const ARRIVALS: Arrivals = {
  lead,
  address: facts(identified(hints({ processorCustomerId: 'cus_mia', email: 'mia@example.com' }))),
  customer: facts(identified(hints({ ...MIA, processorCustomerId: 'cus_mia' }))),
  payment: facts(received(['pi_9'], hints({ email: 'mia@example.com' }))),
};
/** Enough that two of the facts meet for some of them. */
const ACCOUNTS = 12;

describe('a payment by an address that is learned at the same moment, on PostgreSQL', () => {
  let app: TestApp;
  let elsewhere: Database;
  beforeAll(async () => {
    app = await createTestApp('postgres');
    elsewhere = await openDatabase(app.databaseUrl);
  });
  afterAll(async () => {
    await elsewhere.close();
    await app.close();
  });

  it.each([
    ['address, customer', 'lead, payment'],
    ['lead, address', 'customer, payment'],
    ['customer', 'lead, address, payment'],
    ['', 'lead, address, customer, payment'],
  ])('is attributed: first %s; then, at once, %s', async (before, atOnce) => {
    const [first, last] = [before, atOnce].map((names) => names.split(', ')) as [string[], string[]];
    const processes = [app, { ...app, service: createTestService({ database: elsewhere }) }];
    const ends = Array.from({ length: ACCOUNTS }, async (_, number) => {
      const account = await createReferredAccount(app.service, { emailMatching: true });
      for (const name of first) await ARRIVALS[name]?.(app, account);
      // half of the accounts in one process, the others in two
      const processOf = (nth: number) => processes[number % 2 === 0 ? 0 : nth % 2] ?? app;
      await Promise.all(last.map((name, nth) => ARRIVALS[name]?.(processOf(nth), account)));
      const { sales, parked } = await endStateOf(app.service, account.accountId);
      return { sales: sales.length, parked };
    });
    expect(await Promise.all(ends)).toEqual(Array(ACCOUNTS).fill({ sales: 1, parked: 0 }));
  });
});
