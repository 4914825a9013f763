import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDITS, runAudit } from '../../src/audit/audits.ts';
import { importCsv } from '../../src/exchange/import-csv.ts';
import { commissionItems } from '../../src/exchange/sources/tolt/map.ts';
import { getPartner } from '../../src/programs/partners.ts';
import { findStatistics } from '../../src/results/statistics.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { facts, lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { hints, received, referenced, refunded } from '../helpers/facts.ts';

/** What Rewardful exports: the charge, but no column that names the processor. */
async function importRow(app: TestApp, { accountId, partnerId }: ReferredAccount, status: string) {
  const { email } = await getPartner(app.service, accountId, partnerId);
  async function* file() {
    yield Buffer.from(
      'Commission ID,Affiliate Email,Commission,Currency,State,Created,Customer,Sale Amount,Stripe Charge ID\n' +
        `com_1,${email},20.00,USD,${status},2026-11-01,mia,100.00,ch_1\n`,
    );
  }
  const to = { service: app.service, accountId, programId: null, origin: 'Rewardful' };
  const options = { kind: 'commissions', columns: new Map(), isDryRun: false, reportPath: null } as const;
  return importCsv(to, { file: file(), ...options });
}

async function importCommission(app: TestApp, account: ReferredAccount, status: string) {
  expect((await importRow(app, account, status)).problems).toEqual([]);
}

describe.each(engines)('a sale that both a webhook and an import without a processor report, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());
  const webhook = facts(received(['in_1', 'ch_1'], hints(MIA)));
  const expectOneSale = async (account: ReferredAccount, status: string) => {
    const { sales, owed } = await endStateOf(app.service, account.accountId);
    const [amounts, paid] = [{ amount: 10_000, commissionAmount: 2_000 }, status === 'paid'];
    expect(sales).toMatchObject([{ customer: 'mia', ...amounts, status: paid ? 'paid' : 'pending' }]);
    expect(owed).toBe(2_000);
  };

  const expectAgreement = async ({ accountId }: ReferredAccount) => {
    const found = await Promise.all(AUDITS.map((audit) => runAudit(app.service, accountId, audit)));
    expect(found).toEqual(AUDITS.map(() => expect.objectContaining({ count: 0 })));
  };

  it.each(['due', 'paid'])('is one sale when the webhook came first, and its commission is %s', async (status) => {
    const account = await createReferredAccount(app.service);
    await lead(app, account);
    await webhook(app, account);
    await importCommission(app, account, status);
    await expectOneSale(account, status);
  });

  it.each(['due', 'paid'])('is one sale when the import came first, and its commission is %s', async (status) => {
    const account = await createReferredAccount(app.service);
    await lead(app, account);
    await importCommission(app, account, status);
    await webhook(app, account);
    await expectOneSale(account, status);
  });

  it.each(['due', 'paid'])('takes over a parked payment, and its commission is %s', async (status) => {
    const account = await createReferredAccount(app.service);
    await webhook(app, account);
    await importCommission(app, account, status);
    await expectOneSale(account, status);
    expect((await endStateOf(app.service, account.accountId)).parked).toBe(0);
  });

  const imported =
    (status: string) =>
    (_: TestApp, account: ReferredAccount): Promise<unknown> =>
      importCommission(app, account, status);
  const invoice = facts(received(['in_1'], hints(MIA)));
  const joined = facts(referenced('in_1', 'ch_1'));

  it.each([
    ['voided after the webhook', [invoice, imported('voided')]],
    ['imported and voided after the webhook', [invoice, imported('due'), imported('voided')]],
    ['voided before the webhook', [imported('due'), imported('voided'), invoice]],
    ['imported before the webhook, and voided after it', [imported('due'), invoice, imported('voided')]],
  ])(
    'is counted once when the sale of the import, %s, turns out to be the payment of the webhook',
    async (_, arrivals) => {
      const account = await createReferredAccount(app.service);
      for (const arrive of [lead, ...arrivals, joined]) await arrive(app, account);
      await expectOneSale(account, 'due');
      await expectAgreement(account);
    },
  );

  it('is not taken back when it was voided only there, as because it counts here', async () => {
    const account = await createReferredAccount(app.service);
    await lead(app, account);
    await webhook(app, account);
    const { refused, problems } = await importRow(app, account, 'voided');
    expect(refused).toBe(1);
    expect(problems[0]?.reason).toMatch(
      /taken back at Rewardful, .* sale sal_\w+ here, which earned 20\.00 USD: .* adjustment/,
    );
    await expectOneSale(account, 'due');
    await facts(refunded(['ch_1'], { refundId: 're_1', amountMinor: 12_000 }))(app, account);
    const before = await endStateOf(app.service, account.accountId);
    expect(await importRow(app, account, 'voided')).toMatchObject({ created: 1, refused: 0 });
    expect(await importRow(app, account, 'voided')).toMatchObject({ unchanged: 1, refused: 0 });
    expect(await endStateOf(app.service, account.accountId)).toEqual(before);
    await expectAgreement(account);
  });

  it('is not taken back silently when it was voided there after its sale turned out to be one of a webhook', async () => {
    const account = await createReferredAccount(app.service);
    for (const arrive of [lead, invoice, imported('due'), joined]) await arrive(app, account);
    for (const refused of [1, 1]) {
      const { problems, ...counts } = await importRow(app, account, 'voided');
      expect(counts).toMatchObject({ changed: 0, refused });
      expect(problems[0]?.reason).toMatch(/taken back at Rewardful, .* sale sal_\w+ here, which earned 20\.00 USD: /);
    }
    await expectOneSale(account, 'due');
    await facts(refunded(['ch_1'], { refundId: 're_1', amountMinor: 12_000 }))(app, account);
    expect(await importRow(app, account, 'voided')).toMatchObject({ changed: 1, refused: 0 });
    expect((await endStateOf(app.service, account.accountId)).owed).toBe(0);
    await expectAgreement(account);
  });

  it.each([
    ['a bare report', { isBare: true }, {}],
    ['an edited order', { statedAt: 2 }, { statedAt: 1 }],
  ] as const)(
    'adds nothing to the statistics once the import voided it and a better report follows %s',
    async (_first, first, better) => {
      const account = await createReferredAccount(app.service);
      const report = (netMinor: number, changes: object) => {
        const amounts = { grossMinor: 10_000, netMinor, taxMinor: 10_000 - netMinor };
        return facts(received(['in_1', 'ch_1'], hints(MIA), { ...amounts, ...changes }))(app, account);
      };
      await lead(app, account);
      await report(10_000, first);
      for (const status of ['due', 'voided']) await importCommission(app, account, status);
      await report(8_000, better);
      const everything = { from: null, to: null, programId: null, partnerId: null, linkId: null };
      const months = await findStatistics(app.service, account.accountId, { interval: 'month', ...everything });
      const counted = months.map(({ sales, revenue, earnedCommission }) => ({ sales, revenue, earnedCommission }));
      expect(counted).toEqual([{ sales: 0, revenue: {}, earnedCommission: {} }]);
      await expectAgreement(account);
    },
  );
});

describe('a commission of Tolt', () => {
  const paymentAt = (source: string | null, chargeId: string) => {
    const customer = { id: 'cust_1', customer_id: 'mia', name: null, email: null };
    const money = { amount: '2000', revenue: '10000', status: 'approved', created_at: '2026-10-01T00:00:00Z' };
    const ids = { id: 'comm_1', partner_id: 'part_1', charge_id: chargeId, transaction_id: null };
    const of = { currency: 'USD', people: new Map() };
    const [item] = commissionItems({ ...ids, ...money, source, customer }, of);
    return item?.kind === 'commission' ? item.payment : null;
  };

  it.each(['stripe', 'Stripe', 'api', null])(
    'has its sale at Stripe when its charge is there, from the source %s',
    (source) => {
      expect(paymentAt(source, 'ch_1')).toMatchObject({ processor: 'stripe', references: ['ch_1'] });
    },
  );

  it('has its sale where its source says, otherwise at no known processor', () => {
    expect(paymentAt('Paddle', 'txn_1')).toMatchObject({ processor: 'paddle' });
    expect(paymentAt('api', 'order 1')).toMatchObject({ processor: 'custom' });
  });
});
