import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findScannedAccounts } from '../../src/app/scans.ts';
import type { PaymentId } from '../../src/core/ids.ts';
import { attributeDuePayments } from '../../src/payments/attribute-due.ts';
import { attributeDue } from '../../src/payments/backfill.ts';
import { ATTRIBUTED_PER_UNIT } from '../../src/payments/due.ts';
import { findParkedNaming } from '../../src/payments/queries/parked-naming.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead, leadWith } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, identified, received, referenced } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';

const OCTOBER = Date.UTC(2026, 9, 1);
const COUNT = 2 * ATTRIBUTED_PER_UNIT;
const NUMBERS = Array.from({ length: COUNT }, (_, place) => place + 1);

describe.each(engines)(
  'more parked payments than one unit attributes, of ids named for a new customer, on %s',
  (engine) => {
    let app: TestApp;
    let account: ReferredAccount;
    beforeAll(async () => {
      app = await createTestApp(engine);
    });
    beforeEach(async () => {
      account = await createReferredAccount(app.service);
    });
    afterAll(() => app.close());

    async function salesOf({ accountId }: ReferredAccount): Promise<number | undefined> {
      await requireAgreement(app.service, accountId);
      const sql = 'SELECT COUNT(*) AS count FROM sales s WHERE s.account_id = @accountId';
      return (await app.service.database.read((tx) => tx.get<{ count: number }>(sql, { accountId })))?.count;
    }

    async function salesAfterJob(): Promise<number | undefined> {
      await attributeDuePayments(app.service);
      return salesOf(account);
    }

    it.each([
      ['one subscription', 1],
      ['more subscriptions than payments that a unit attributes', COUNT],
    ])('all become sales: a customer of the processor with %s', async (_, subscriptions) => {
      const idsOf = (nth: number) => ({ processorCustomerId: 'cus_mia', subscriptionId: `sub_${nth % subscriptions}` });
      for (const nth of NUMBERS) {
        await applyFacts(app.service, account.accountId, received([`in_${nth}`], hints(idsOf(nth))));
      }
      for (const nth of NUMBERS.slice(0, subscriptions)) {
        const named = hints({ ...idsOf(nth), externalId: 'mia' });
        await applyFacts(app.service, account.accountId, identified(named));
      }
      await attributeDuePayments(app.service); // in vain: the customer is unknown
      await lead(app, account);
      expect(await salesAfterJob()).toBe(COUNT);
    });

    it('become sales at once, if they are as many as a unit attributes, although each is found in four ways', async () => {
      account = await createReferredAccount(app.service, { emailMatching: true });
      const { accountId } = account;
      const ids = { processorCustomerId: 'cus_mia', subscriptionId: 'sub_mia', email: 'mia@example.com' };
      for (const nth of NUMBERS.slice(0, ATTRIBUTED_PER_UNIT)) {
        await applyFacts(app.service, accountId, received([`in_${nth}`], hints({ ...ids, externalId: 'mia' })));
      }
      await leadWith({ customerEmail: 'mia@example.com' })(app, account);
      expect(await salesOf(account)).toBe(ATTRIBUTED_PER_UNIT);
      expect(await app.service.database.read((tx) => findScannedAccounts(tx, 'attribute payments'))).toEqual([]);
    });

    it('all become sales: half of them name the customer, and half only the address that a report named for the customer', async () => {
      account = await createReferredAccount(app.service, { emailMatching: true });
      const half = COUNT / 2 - 1;
      for (const nth of NUMBERS.slice(0, 2 * half)) {
        const person = nth <= half ? { email: 'mia@example.com' } : { externalId: 'mia' };
        const at = { occurredAt: OCTOBER + nth };
        await applyFacts(app.service, account.accountId, received([`in_${nth}`], hints(person), at));
      }
      const named = { processorCustomerId: 'cus_mia', externalId: 'mia', email: 'mia@example.com' };
      await applyFacts(app.service, account.accountId, identified(hints(named)));
      await lead(app, account);
      expect(await salesAfterJob()).toBe(2 * half);
    });

    it('all become sales, except one that cannot, to which another one leads', async () => {
      const { accountId } = account;
      const subscription = { subscriptionId: 'sub_mia' };
      const customer = { processorCustomerId: 'cus_mia' };
      const park = (invoice: string, person: Parameters<typeof hints>[0], nth: number) =>
        applyFacts(app.service, accountId, received([invoice], hints(person), { occurredAt: OCTOBER + nth }));
      await park('in_leading', { ...subscription, ...customer }, COUNT);
      await park('in_broken', customer, COUNT);
      for (const nth of NUMBERS) await park(`in_${nth}`, { ...subscription, externalId: 'mia' }, nth);
      await lead(app, account);
      const broken = `SELECT payment_id FROM payment_references WHERE account_id = @accountId AND value = 'in_broken'`;
      await app.service.database.write((tx) =>
        tx.run(`UPDATE payments SET fact = '{' WHERE id = (${broken})`, { accountId }),
      );
      expect(await salesAfterJob()).toBe(COUNT + 1);
    });

    it('are looked for under the address of the one into which another was merged, which the job has read before', async () => {
      const { accountId } = account;
      const { database, clock } = app.service;
      const payer = { processorCustomerId: 'cus_mia' };
      await applyFacts(app.service, accountId, received(['in_1'], hints(payer)), received(['in_2'], hints(payer)));
      const sql = 'SELECT id FROM payments WHERE account_id = @accountId';
      const paymentIds = (await database.read((tx) => tx.all<{ id: PaymentId }>(sql, { accountId }))).map(
        ({ id }) => id,
      );
      await applyFacts(app.service, accountId, referenced('in_1', 'in_2'));
      await applyFacts(app.service, accountId, identified(hints({ ...payer, email: 'mia@example.com' })));
      const underAddress = () =>
        database.read((tx) => findParkedNaming(tx, accountId, { kind: 'email', value: 'mia@example.com' }, 2));
      const found = await underAddress();
      expect(found).toHaveLength(1);
      await database.write((tx) => attributeDue(tx, { accountId, now: clock() }, paymentIds, ATTRIBUTED_PER_UNIT));
      expect(await underAddress()).toEqual(found);
    });
  },
);
