import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { ATTRIBUTED_PER_UNIT } from '../../src/payments/due.ts';
import { importCustomer } from '../../src/payments/imports/import-customer.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { leadWith } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';

/** As many as one unit attributes. */
const PAYMENTS = ATTRIBUTED_PER_UNIT;

describe.each(engines)('a customer with many subscriptions, or ids, whose payments wait, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  /** The service, and how many waiting payments its units of work have found. */
  function counting(service: Service) {
    const found = { count: 0 };
    const observed = (tx: Transaction): Transaction => ({
      get: (sql, parameters) => tx.get(sql, parameters),
      async all<Row>(sql: string, parameters: Parameters<Transaction['all']>[1]) {
        const rows = await tx.all<Row>(sql, parameters);
        if (sql.includes('parked_hints')) found.count += rows.length;
        return rows;
      },
      run: (sql, parameters) => tx.run(sql, parameters),
      claim: (keys) => tx.claim(keys),
      lookAhead: (start) => tx.lookAhead(start),
      unawaited: (write) => tx.unawaited(write),
      settled: () => tx.settled(),
      last: (key, work, added) => tx.last(key, work, added),
    });
    const write: Service['database']['write'] = (unit, options) =>
      service.database.write((tx) => unit(observed(tx)), options);
    return { found, service: { ...service, database: { ...service.database, write } } };
  }

  it('is looked for under each of their ids once, and not under all of them for each payment', async () => {
    const { accountId, partnerId } = await createReferredAccount(app.service);
    for (let n = 0; n < PAYMENTS; n += 1) {
      const payer = hints({ processorCustomerId: 'cus_mia', subscriptionId: `sub_${n}` });
      expect(await applyFacts(app.service, accountId, received([`in_${n}`], payer))).toMatchObject({
        outcome: 'unattributed',
      });
    }
    const { found, service } = counting(app.service);
    const atProcessor = { processor: 'stripe', customerId: 'cus_mia' } as const;
    const mia = { externalId: 'mia', partnerId, email: null, name: null, atProcessor };
    expect(await importCustomer(service, accountId, mia)).toBe('created');
    const sql = 'SELECT id FROM sales WHERE account_id = @accountId';
    expect(await app.service.database.read((tx) => tx.all(sql, { accountId }))).toHaveLength(PAYMENTS);
    expect(found.count).toBeLessThan(3 * PAYMENTS);
  });

  it('is looked for under their address once, although the processor has another customer for each payment', async () => {
    const account = await createReferredAccount(app.service, { emailMatching: true });
    for (let n = 0; n < PAYMENTS; n += 1) {
      const payer = hints({ processorCustomerId: `cus_${n}`, email: 'mia@example.com' });
      await applyFacts(app.service, account.accountId, received([`in_${n}`], payer));
    }
    const { found, service } = counting(app.service);
    await leadWith({ customerEmail: 'mia@example.com' })({ ...app, service }, account);
    const sql = 'SELECT id FROM sales WHERE account_id = @accountId';
    const { accountId } = account;
    expect(await app.service.database.read((tx) => tx.all(sql, { accountId }))).toHaveLength(PAYMENTS);
    expect(found.count).toBeLessThan(3 * PAYMENTS);
  });
});
