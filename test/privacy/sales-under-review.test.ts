import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimKeys } from '../../src/app/claims.ts';
import { findSteps } from '../../src/payments/queries/sales.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { leadWith } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';

/** Long enough for an erasure that does not wait. */
const REVIEW_MS = 300;

/** SQLite runs one unit after the other. */
const CONCURRENT = engines.filter((engine) => engine === 'postgres');

describe.each(CONCURRENT)('a sale that somebody reviews while its customer is erased, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it('keeps the review, but not the address by which it was attributed', async () => {
    const { database } = app.service;
    const account = await createReferredAccount(app.service, { emailMatching: true });
    const { accountId } = account;
    await leadWith({ customerEmail: 'mia@example.com' })(app, account);
    await applyFacts(app.service, accountId, received(['in_1'], hints({ email: 'mia@example.com' })));
    const sql = 'SELECT id, payment_id AS "paymentId" FROM sales WHERE account_id = @accountId';
    const sale = await database.read((tx) => tx.get<{ id: string; paymentId: string }>(sql, { accountId }));
    const id = asId<'sal'>(sale?.id ?? '');
    const stepsOf = () => database.read((tx) => findSteps(tx, accountId, id));
    expect(JSON.stringify(await stepsOf())).toContain('mia@example.com');

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
    await Promise.all([review, eraseCustomer(app.service, accountId, 'mia')]);
    const steps = await stepsOf();
    expect(steps).toContainEqual(reviewed);
    expect(JSON.stringify(steps)).not.toContain('mia@example.com');
  });
});
