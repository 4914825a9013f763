import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CustomerHints, Fact } from '../../src/core/facts.ts';
import { trackLead } from '../../src/payments/lead.ts';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { leadInput } from '../../src/payments/resources/customer-schemas.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { openDatabase, sqlitePathOf } from '../../src/storage/open.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';
import { applyFacts, hints, received, referenced } from '../helpers/facts.ts';
import { overwriteFirstPage } from '../helpers/overwrite-first-page.ts';
import { createTestService } from '../helpers/service.ts';

const MIA = { externalId: 'mia', processorCustomerId: 'cus_mia' };
const BOB = { externalId: 'bob', processorCustomerId: 'cus_bob' };

const payment = (invoiceId: string, customer: CustomerHints): Fact => received([invoiceId], customer);

/** An account with two customers who have each paid once. */
async function createBuyers(database: TestDatabase['database']) {
  const service = createTestService({ database });
  const account = await createReferredAccount(service);
  for (const { externalId: customerExternalId } of [MIA, BOB]) {
    const input = { clickId: account.clickId, eventName: 'Sign up', customerExternalId };
    await trackLead(service, account.accountId, parseInput(leadInput, input));
  }
  await applyFacts(service, account.accountId, payment('in_mia', hints(MIA)), payment('in_bob', hints(BOB)));
  return { service, account };
}

describe.each(engines)(
  'whom a payment belongs to that names a customer and the processor’s customer, on %s',
  (engine) => {
    let test: TestDatabase;
    beforeAll(async () => {
      test = await createTestDatabase(engine);
    });
    afterAll(() => test.remove());

    it('is the named customer, whosever the processor’s customer is', async () => {
      const { service, account } = await createBuyers(test.database);
      const others: [string, Parameters<typeof hints>[0]][] = [
        ['in_same', MIA],
        ['in_of_bob', { ...MIA, processorCustomerId: BOB.processorCustomerId }],
        ['in_of_nobody', { ...MIA, processorCustomerId: 'cus_new' }],
      ];
      for (const [invoiceId, person] of others) {
        await applyFacts(service, account.accountId, payment(invoiceId, hints(person)));
      }
      const { data } = await listSales(service, account.accountId, parseInput(saleListQuery, {}));
      const buyers = data.map(({ invoiceId, customer }) => [invoiceId, customer.externalId]);
      expect(Object.fromEntries(buyers)).toEqual({
        in_mia: 'mia',
        in_bob: 'bob',
        in_same: 'mia',
        in_of_bob: 'mia',
        in_of_nobody: 'mia',
      });
    });

    it('is known from a reference that names both, although the payment is counted already', async () => {
      const { service, account } = await createBuyers(test.database);
      const customer = hints({ externalId: 'mia', processorCustomerId: 'cus_late' });
      await applyFacts(service, account.accountId, { ...referenced('in_mia'), customer });
      const renewal = payment('in_late', hints({ processorCustomerId: 'cus_late' }));
      expect(await applyFacts(service, account.accountId, renewal)).toMatchObject({ outcome: 'sale' });
    });

    it('is whoever signs up with the address of a payment that waits, written in any case', async () => {
      const service = createTestService({ database: test.database });
      const account = await createReferredAccount(service, { emailMatching: true });
      const waiting = payment('in_zoe', hints({ email: 'zoe@example.com' }));
      expect(await applyFacts(service, account.accountId, waiting)).toMatchObject({ outcome: 'unattributed' });
      const { clickId } = account;
      const input = { clickId, eventName: 'Sign up', customerExternalId: 'zoe', customerEmail: 'Zoe@Example.com' };
      await trackLead(service, account.accountId, parseInput(leadInput, input));
      const { data } = await listSales(service, account.accountId, parseInput(saleListQuery, {}));
      expect(data).toMatchObject([{ invoiceId: 'in_zoe', attribution: { matchedBy: 'email' } }]);
    });
  },
);

// in a large file, each of these indexes costs a payment two or three pages
describe('on SQLite, with the indexes of external ids and of lists of customers damaged', () => {
  let test: TestDatabase;
  let account: ReferredAccount;
  let reopened: TestDatabase['database'];
  beforeAll(async () => {
    test = await createTestDatabase('sqlite');
    ({ account } = await createBuyers(test.database));
    await test.database.close();
    for (const index of ['customers_external', 'customers_account']) {
      overwriteFirstPage(sqlitePathOf(test.url) ?? '', index);
    }
    reopened = await openDatabase(test.url);
  });
  afterAll(async () => {
    await reopened.close();
    await test.remove();
  });

  const pay = (invoiceId: string, person: Parameters<typeof hints>[0]) =>
    applyFacts(createTestService({ database: reopened }), account.accountId, payment(invoiceId, hints(person)));

  it.each([
    ['names both its customer and the processor’s', MIA],
    ['names only the processor’s customer', { processorCustomerId: MIA.processorCustomerId }],
  ])('another payment is counted that %s', async (names, person) => {
    expect(await pay(`in ${names}`, person)).toMatchObject({ outcome: 'sale' });
  });

  it('the payment of a customer who is new to the processor is not', async () => {
    await expect(pay('in_new', { ...MIA, processorCustomerId: 'cus_new' })).rejects.toThrow('The database is damaged');
  });
});
