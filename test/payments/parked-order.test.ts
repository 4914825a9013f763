import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, identified, received, referenced } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';

const OCTOBER = Date.UTC(2026, 9, 1);
const NOVEMBER = Date.UTC(2026, 10, 1);
const AT_STRIPE = { processorCustomerId: 'cus_mia' };

describe.each(engines)('payments that wait for one customer, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  async function earnedBy({ accountId }: ReferredAccount) {
    const { data } = await listSales(app.service, accountId, parseInput(saleListQuery, {}));
    return Object.fromEntries(data.map(({ invoiceId, commissionAmount }) => [invoiceId, commissionAmount]));
  }

  /** A first payment of 1.00 and a renewal of 100.00, in this order of arrival; only the first sale earns. */
  async function arrive(invoices: readonly string[], person: Parameters<typeof hints>[0]) {
    const account = await createReferredAccount(app.service, { durationMonths: 0 });
    const { accountId } = account;
    const first = received(['in_1'], hints(person), { netMinor: 100, grossMinor: 120, occurredAt: OCTOBER });
    const renewal = received(['in_2'], hints(person), { recurring: true, occurredAt: NOVEMBER });
    for (const invoice of invoices) {
      const payment = invoice === 'in_1' ? first : renewal;
      expect(await applyFacts(app.service, accountId, payment)).toMatchObject({ outcome: 'unattributed' });
    }
    return { account, earned: () => earnedBy(account) };
  }

  it.each([[['in_1', 'in_2']], [['in_2', 'in_1']]])(
    'become sales in the order in which they were made, when they arrived as %j',
    async (invoices) => {
      const named = await arrive(invoices, { externalId: 'mia' });
      await lead(app, named.account);
      expect(await named.earned()).toEqual({ in_1: 20, in_2: 0 });

      const known = await arrive(invoices, AT_STRIPE);
      await lead(app, known.account);
      const customer = identified(hints({ ...AT_STRIPE, externalId: 'mia' }));
      await applyFacts(app.service, known.account.accountId, customer);
      expect(await known.earned()).toEqual({ in_1: 20, in_2: 0 });
    },
  );

  const ORDERS = [
    ['in_1', 'in_2', 'in_3'],
    ['in_1', 'in_3', 'in_2'],
    ['in_2', 'in_1', 'in_3'],
    ['in_2', 'in_3', 'in_1'],
    ['in_3', 'in_1', 'in_2'],
    ['in_3', 'in_2', 'in_1'],
  ];
  const CHAINS = {
    'by their ids': [
      { subscriptionId: 'sub_mia' },
      { ...AT_STRIPE, subscriptionId: 'sub_mia' },
      { ...AT_STRIPE, externalId: 'mia' },
    ],
    'by an address that the lead does not name': [
      { email: 'mia@example.com' },
      { ...AT_STRIPE, email: 'mia@example.com' },
      { externalId: 'mia', email: 'mia@example.com' },
    ],
  };

  it.each(Object.entries(CHAINS).flatMap(([how, chain]) => ORDERS.map((order) => [how, order, chain] as const)))(
    'become sales in the order in which they were made, when they lead to each other %s and arrived as %j',
    async (_how, order, chain) => {
      const account = await createReferredAccount(app.service, { durationMonths: 0, emailMatching: true });
      for (const invoice of order) {
        const nth = Number(invoice.at(-1));
        const payment = received([invoice], hints(chain[nth - 1] ?? {}), { occurredAt: OCTOBER + nth });
        expect(await applyFacts(app.service, account.accountId, payment)).toMatchObject({ outcome: 'unattributed' });
      }
      await lead(app, account);
      expect(await earnedBy(account)).toEqual({ in_1: 2_000, in_2: 0, in_3: 0 });
    },
  );

  it('become sales, too, if a report for another program names the id that they wait under beside a known one', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId, programId } = account;
    await lead(app, account);
    const subscription = { subscriptionId: 'sub_mia' };
    const both = hints({ ...AT_STRIPE, ...subscription });
    for (const fact of [
      identified(hints({ ...subscription, externalId: 'mia' })),
      received(['in_1'], hints(AT_STRIPE)),
      received(['in_2'], both, { onlyPrograms: [asId('prg_other')] }),
    ]) {
      await applyFacts(app.service, accountId, fact);
    }
    expect(await earnedBy(account)).toEqual({ in_1: 2_000 });
    await applyFacts(app.service, accountId, received(['in_2'], both, { onlyPrograms: [programId] }));
    expect(await earnedBy(account)).toEqual({ in_1: 2_000, in_2: 2_000 });
  });

  it('become sales, too, if another report of one of them names a known id beside the one that they wait under', async () => {
    const account = await createReferredAccount(app.service);
    await lead(app, account);
    const subscription = { subscriptionId: 'sub_mia' };
    const customer = hints({ ...AT_STRIPE, ...subscription });
    for (const fact of [
      identified(hints({ ...AT_STRIPE, externalId: 'mia' })),
      received(['in_1'], hints(subscription)),
      received(['in_2'], hints(subscription)),
      { ...referenced('in_2', 'pi_2'), customer },
    ]) {
      await applyFacts(app.service, account.accountId, fact);
    }
    expect(await earnedBy(account)).toEqual({ in_1: 2_000, in_2: 2_000 });
  });
});
