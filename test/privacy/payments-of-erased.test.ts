import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findScan } from '../../src/app/scans.ts';
import { attributeDuePayments } from '../../src/payments/attribute-due.ts';
import { ATTRIBUTED_PER_UNIT } from '../../src/payments/due.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, identified, received } from '../helpers/facts.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';

const OCTOBER = Date.UTC(2026, 9, 1);
/** More than a unit of work erases. */
const SALES = 60;
const PARKED = 2 * ATTRIBUTED_PER_UNIT + 5;
const PAYER = { processorCustomerId: 'cus_mia', email: 'mia@example.com', name: 'Mia' };

describe.each(engines)('many parked payments that turn out to be an erased customer’s, on %s', (engine) => {
  let app: TestApp;
  let account: ReferredAccount;
  beforeAll(async () => {
    app = await createTestApp(engine);
    account = await createReferredAccount(app.service);
  });
  afterAll(() => app.close());

  const stored = () => placesOf(app.service.database, PAYER.email);

  it('are erased with the unit of work that attributes them, without the sales of before', async () => {
    const { service } = app;
    const { accountId } = account;
    await lead(app, account);
    // the sales are later than the payments
    for (let nth = 1; nth <= SALES; nth += 1) {
      const occurredAt = OCTOBER + PARKED + nth;
      await applyFacts(service, accountId, received([`sale_${nth}`], hints({ externalId: 'mia' }), { occurredAt }));
    }
    await eraseCustomer(service, accountId, 'mia');
    await sweep(service);
    for (let nth = 1; nth <= PARKED; nth += 1) {
      await applyFacts(service, accountId, received([`in_${nth}`], hints(PAYER), { occurredAt: OCTOBER + nth }));
    }
    expect((await stored()).filter((place) => place.startsWith('payments.fact'))).toHaveLength(PARKED);
    const known = hints({ externalId: 'mia', processorCustomerId: PAYER.processorCustomerId });
    await applyFacts(service, accountId, identified(known));
    await attributeDuePayments(service);
    expect(await stored()).toEqual([]);
    expect(await service.database.read((tx) => findScan(tx, 'erase the rest', accountId))).toBeUndefined();
    const sql = 'SELECT COUNT(*) AS count FROM sales WHERE account_id = @accountId';
    expect(await service.database.read((tx) => tx.get(sql, { accountId }))).toEqual({ count: SALES + PARKED });
  });
});
