import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trackLead } from '../../src/payments/lead.ts';
import { leadInput } from '../../src/payments/resources/customer-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { openDatabase, sqlitePathOf } from '../../src/storage/open.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { overwriteFirstPage } from '../helpers/overwrite-first-page.ts';
import { createTestService } from '../helpers/service.ts';

const MIA = { externalId: 'mia', processorCustomerId: 'cus_mia' };

/** An account with a customer who has paid once. */
async function createBuyer(database: TestDatabase['database']): Promise<ReferredAccount> {
  const service = createTestService({ database });
  const account = await createReferredAccount(service);
  const input = { clickId: account.clickId, eventName: 'Sign up', customerExternalId: MIA.externalId };
  await trackLead(service, account.accountId, parseInput(leadInput, input));
  await applyFacts(service, account.accountId, received(['in_mia'], hints(MIA)));
  return account;
}

// in a large file, an index that is read for nothing else costs a payment two or three pages
describe('on SQLite, with the index for lists of customers damaged', () => {
  let test: TestDatabase;
  let account: ReferredAccount;
  let reopened: TestDatabase['database'];
  beforeAll(async () => {
    test = await createTestDatabase('sqlite');
    account = await createBuyer(test.database);
    await test.database.close();
    overwriteFirstPage(sqlitePathOf(test.url) ?? '', 'customers_account');
    reopened = await openDatabase(test.url);
  });
  afterAll(async () => {
    await reopened.close();
    await test.remove();
  });

  const pay = (invoiceId: string, person: Parameters<typeof hints>[0]) =>
    applyFacts(createTestService({ database: reopened }), account.accountId, received([invoiceId], hints(person)));

  it('another payment is counted that names only the processor’s customer', async () => {
    const { processorCustomerId } = MIA;
    expect(await pay('in_another', { processorCustomerId })).toMatchObject({ outcome: 'sale' });
  });
});
