import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { holding } from '../helpers/holding.ts';
import { asId } from '../helpers/ids.ts';
import { placesOf } from '../privacy/places-of.ts';
import { sweep } from '../privacy/sweep.ts';

/** Long enough for an erasure that waits for nobody to end. */
const HELD_MS = 500;

/** SQLite runs one unit after the other. */
const CONCURRENT = engines.filter((engine) => engine === 'postgres');

describe.each(CONCURRENT)(
  'an erasure while a payment is parked that only another program may earn, on %s',
  (engine) => {
    let app: TestApp;
    beforeAll(async () => {
      app = await createTestApp(engine);
    });
    afterAll(() => app.close());

    it.each([
      ['begins before the erasure, and ends after it', /INSERT INTO payments/, 'before'],
      ['has found the customer, who is erased then', /FROM customers WHERE id = .* AND erased_at IS NOT NULL/, 'after'],
    ] as const)('leaves nothing of the payer when the payment %s', async (_when, held, when) => {
      const account = await createReferredAccount(app.service);
      const { accountId } = account;
      await lead(app, account);
      const atStripe = { processorCustomerId: 'cus_mia' };
      const sale = await applyFacts(app.service, accountId, received(['in_1'], hints({ ...MIA, ...atStripe })));
      expect(sale.outcome).toBe('sale');

      const reached = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const database = holding(app.service.database, {
        held,
        when,
        reached: reached.resolve,
        release: release.promise,
      });
      const payer = hints({ ...atStripe, email: 'payer@example.com', name: 'Paying Person' });
      const payment = received(['in_2'], payer, { onlyPrograms: [asId('prg_other')] });
      const parking = applyFacts(createService({ ...app.service, database }), accountId, payment);
      await Promise.race([reached.promise, parking]);
      const erasure = eraseCustomer(app.service, accountId, 'mia');
      await Promise.race([erasure, pause(HELD_MS)]);
      release.resolve();
      expect(await parking).toMatchObject({ outcome: 'unattributed' });
      await erasure;
      await sweep(app.service);
      expect(await placesOf(app.service.database, 'payer@example.com')).toEqual([]);
      expect(await placesOf(app.service.database, 'Paying Person')).toEqual([]);
    });
  },
);
