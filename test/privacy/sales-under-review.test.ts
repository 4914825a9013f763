import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimKeys } from '../../src/app/claims.ts';
import { findSteps } from '../../src/payments/queries/sales.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { leadWith } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';

/** Long enough for an erasure that does not wait. */
const REVIEW_MS = 300;

/** SQLite runs one unit after the other. */
const CONCURRENT = engines.filter((engine) => engine === 'postgres');

const PAYER = { email: 'mia@example.com', processorCustomerId: 'cus_mia' };

describe.each(CONCURRENT)('a sale that somebody reviews while its customer is erased, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  /** The customer, and how they are erased. */
  type Case = {
    create(account: ReferredAccount): Promise<unknown>;
    erase(account: ReferredAccount): Promise<unknown>;
  };
  const createGuest = async ({ accountId, clickId }: ReferredAccount) => {
    await applyFacts(app.service, accountId, received(['in_0'], hints({ ...PAYER, clickId })));
  };
  const cases: Record<string, Case> = {
    'by hand': {
      create: (account) => leadWith({ customerEmail: PAYER.email })(app, account),
      erase: ({ accountId }) => eraseCustomer(app.service, accountId, 'mia'),
    },
    'as a guest, because the processor requires it': {
      create: createGuest,
      erase: ({ accountId }) => applyFacts(app.service, accountId, { kind: 'customer.erased', customer: hints(PAYER) }),
    },
    'as a guest who turns out to be somebody who was erased': {
      async create(account) {
        await createGuest(account);
        await applyFacts(app.service, account.accountId, received(['in_mia'], hints({ externalId: 'mia' })));
        await eraseCustomer(app.service, account.accountId, 'mia');
      },
      erase: (account) => leadWith({})(app, account),
    },
  };

  it.each(Object.keys(cases))('keeps the review, but not the address by which it was attributed: %s', async (how) => {
    const { create, erase } = cases[how] as Case;
    const { database } = app.service;
    const account = await createReferredAccount(app.service, { emailMatching: true });
    const { accountId } = account;
    await create(account);
    await applyFacts(app.service, accountId, received(['in_1'], hints({ email: PAYER.email })));
    const sql = `SELECT id, payment_id AS "paymentId" FROM sales WHERE account_id = @accountId AND invoice_id = 'in_1'`;
    const sale = await database.read((tx) => tx.get<{ id: string; paymentId: string }>(sql, { accountId }));
    const id = asId<'sal'>(sale?.id ?? '');
    const stepsOf = () => database.read((tx) => findSteps(tx, accountId, id));
    expect(JSON.stringify(await stepsOf())).toContain(PAYER.email);

    const hasRead = Promise.withResolvers<void>();
    const reviewed = { step: 'self_referral', value: 'Olga', result: 'noted', reason: 'approved by Olga' } as const;
    const review = database.write(
      async (tx) => {
        await tx.claim(() => [claimKeys.payment(sale?.paymentId ?? '')]);
        const steps = JSON.stringify([...(await findSteps(tx, accountId, id)), reviewed]);
        hasRead.resolve();
        await pause(REVIEW_MS);
        await tx.run('UPDATE sales SET steps = @steps WHERE account_id = @accountId AND id = @id', {
          steps,
          accountId,
          id,
        });
      },
      { alone: true },
    );
    await hasRead.promise;
    await Promise.all([review, erase(account)]);
    const steps = await stepsOf();
    expect(steps).toContainEqual(reviewed);
    expect(JSON.stringify(steps)).not.toContain(PAYER.email);
  });
});
