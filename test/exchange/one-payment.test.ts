import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import type { SourceItem } from '../../src/exchange/moved/facts.ts';
import { commissionItems as ofDub } from '../../src/exchange/sources/dub/map.ts';
import { commissionItems as ofFirstPromoter } from '../../src/exchange/sources/firstpromoter/map.ts';
import { commissionItems as ofPartnerStack } from '../../src/exchange/sources/partnerstack/map.ts';
import { commissionItems as ofRewardful } from '../../src/exchange/sources/rewardful/map.ts';
import { commissionItems as ofTolt } from '../../src/exchange/sources/tolt/map.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { facts, lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { hints, received } from '../helpers/facts.ts';
import { importItemsFor, importTextFor } from './import-for.ts';

const AT = '2026-11-01T00:00:00Z';
const HEAD = 'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale amount,Invoice,Charge,Processor\n';

/** A commission of 20.00 USD for the payment in_1 or ch_1, of which the service does not name the customer. */
const WITHOUT_CUSTOMER: Record<string, SourceItem[]> = {
  Rewardful: ofRewardful(
    {
      id: 'com_1',
      amount: 2_000,
      currency: 'USD',
      state: 'due',
      created_at: AT,
      sale: {
        currency: 'USD',
        stripe_charge_id: 'ch_1',
        charge_amount_cents: 10_000,
        sale_amount_cents: 10_000,
        referral: null,
        affiliate: { id: 'aff_1' },
      },
    },
    new Map(),
  ),
  Dub: ofDub(
    {
      id: 'cm_1',
      type: 'sale',
      amount: 10_000,
      earnings: 2_000,
      currency: 'usd',
      status: 'pending',
      invoiceId: 'in_1',
      createdAt: AT,
      partner: { id: 'pn_1' },
      customer: null,
    },
    new Map(),
  ),
  Tolt: ofTolt(
    {
      id: 'comm_1',
      amount: '2000',
      revenue: '10000',
      status: 'approved',
      charge_id: 'ch_1',
      transaction_id: null,
      source: 'stripe',
      created_at: AT,
      partner_id: 'part_1',
      customer: null,
    },
    { currency: 'USD', people: new Map() },
  ),
  FirstPromoter: ofFirstPromoter(
    {
      id: 41,
      status: 'approved',
      is_paid: false,
      unit: 'cash',
      amount: 2_000,
      sale_amount: 10_000,
      event_id: 'ch_1',
      created_at: AT,
      referral: null,
      promoter: { id: 11 },
    },
    { currency: 'USD', referrals: { ended: new Set(), owners: new Map() } },
  ),
  PartnerStack: ofPartnerStack(
    {
      key: 'rw_1',
      amount: 2_000,
      currency: 'USD',
      created_at: Date.parse(AT),
      reward_status: 'approved',
      payment_status: null,
      partnership_key: 'part_1',
      customer: null,
      transaction: { amount: 10_000, currency: 'USD' },
      invoice: { key: 'in_1' },
    },
    'USD',
  ),
};

describe.each(engines)('a commission of a payment that is a sale here, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());
  const webhook = facts(received(['in_1', 'ch_1'], hints(MIA)));
  const owed = async ({ accountId }: ReferredAccount) => (await endStateOf(app.service, accountId)).owed;
  const accountWithSale = async () => {
    const account = await createReferredAccount(app.service);
    await lead(app, account);
    await webhook(app, account);
    return account;
  };

  const importText = (account: ReferredAccount, rows: string, kind: CsvKind = 'commissions') =>
    importTextFor(app, account, { kind, text: (kind === 'commissions' ? HEAD : '') + rows, origin: 'Rewardful' });

  const importItems = (account: ReferredAccount, items: readonly SourceItem[]) => importItemsFor(app, account, items);

  it.each(Object.entries(WITHOUT_CUSTOMER))('is that sale although %s does not name its customer', async (_, items) => {
    const account = await accountWithSale();
    expect(await importItems(account, items)).toMatchObject({ created: 1, refused: 0 });
    expect(await owed(account)).toBe(2_000);
    expect(await importItems(account, items)).toMatchObject({ unchanged: 1, refused: 0 });
    expect(await owed(account)).toBe(2_000);
  });

  it.each(['in_1,,', ',ch_1,', ',ch_1,Stripe', ',ch_1,Chargebee'])(
    'is that sale although its row has no sale amount, with the names %s',
    async (names) => {
      const account = await accountWithSale();
      const row = `c1,ANA,20.00,USD,due,2026-11-01,,,${names}\n`;
      expect(await importText(account, row)).toMatchObject({ created: 1, refused: 0 });
      expect(await owed(account)).toBe(2_000);
      expect(await importText(account, row)).toMatchObject({ unchanged: 1, refused: 0 });
      await importText(account, row.replace('due', 'paid'));
      expect((await endStateOf(app.service, account.accountId)).sales).toMatchObject([{ status: 'paid' }]);
    },
  );

  it('is that sale if a file of sales brought it', async () => {
    const account = await createReferredAccount(app.service);
    const sale =
      'Invoice,Partner,User ID,Amount,Currency,Date,Commission,Status\nin_1,ANA,u1,10,USD,2026-03-01,2,due\n';
    expect(await importText(account, sale, 'sales')).toMatchObject({ created: 1 });
    expect(await importText(account, 'c1,ANA,2.00,USD,due,2026-03-01,,,in_1,,\n')).toMatchObject({ created: 1 });
    expect(await owed(account)).toBe(200);
  });

  it('is refused in a file of sales if it is an entry before, unless the sale earned nothing', async () => {
    const account = await createReferredAccount(app.service);
    const commission = (id: string) => `${id},ANA,2.00,USD,due,2026-03-01,,,in_1,ch_1,\n`;
    expect(await importText(account, commission('c1') + commission('c2'))).toMatchObject({ created: 2 });
    const head = 'Invoice,Partner,User ID,Amount,Currency,Date,Commission,Status,Charge\n';
    const { refused, problems } = await importText(
      account,
      `${head}ord_1,ANA,u1,10,USD,2026-03-01,2,due,ch_1\n`,
      'sales',
    );
    expect(refused).toBe(1);
    expect(problems[0]?.reason).toMatch(/^It is 2\.00 USD, and the commission c1 of Rewardful .* entry ent_\w+ here/);
    expect(await owed(account)).toBe(400);
    const nothing = `${head}in_1,ANA,u1,10,USD,2026-03-01,,,ch_1\n`;
    expect(await importText(account, nothing, 'sales')).toMatchObject({ created: 1 });
    expect(await importText(account, commission('c1') + commission('c2'))).toMatchObject({ unchanged: 2 });
    expect(await owed(account)).toBe(400);
  });

  it('is an entry if a file of sales brought the sale without what it earned', async () => {
    const account = await createReferredAccount(app.service);
    const head = 'Invoice,Partner,User ID,Amount,Currency,Date\n';
    expect(await importText(account, `${head}in_1,ANA,u1,10,USD,2026-03-01\n`, 'sales')).toMatchObject({ created: 1 });
    const row = 'c1,ANA,2.00,USD,due,2026-03-01,,,in_1,,\n';
    expect(await importText(account, row)).toMatchObject({ created: 1, refused: 0 });
    expect(await importText(account, row)).toMatchObject({ unchanged: 1, refused: 0 });
    expect(await owed(account)).toBe(200);
  });

  it('is refused in another currency, and the refusal names both', async () => {
    const account = await accountWithSale();
    const { refused, problems } = await importText(account, 'c1,ANA,18.00,EUR,due,2026-11-01,,,in_1,,\n');
    expect(refused).toBe(1);
    expect(problems[0]?.reason).toMatch(/18\.00 EUR .* the sale sal_\w+ here, which earned 20\.00 USD .*adjust/);
    expect(await owed(account)).toBe(2_000);
  });

  it('is refused while the payment waits to be attributed', async () => {
    const account = await createReferredAccount(app.service);
    await webhook(app, account);
    const row = 'c1,ANA,20.00,USD,due,2026-11-01,,,in_1,,\n';
    const { problems } = await importText(account, row);
    expect(problems[0]?.reason).toMatch(/payment pmt_\w+ .*not attributed yet.* import again/);
    await lead(app, account);
    expect(await importText(account, row)).toMatchObject({ created: 1, refused: 0 });
    expect(await owed(account)).toBe(2_000);
  });

  it('is reported by the next import if it was an entry before the payment became a sale', async () => {
    const account = await createReferredAccount(app.service);
    const row = 'c1,ANA,20.00,USD,due,2026-11-01,,,in_1,,\n';
    expect(await importText(account, row)).toMatchObject({ created: 1 });
    expect(await importText(account, row)).toMatchObject({ unchanged: 1, refused: 0 });
    await lead(app, account);
    await webhook(app, account);
    const { refused, problems } = await importText(account, row);
    expect(refused).toBe(1);
    expect(problems[0]?.reason).toMatch(
      /entry ent_\w+ of 20\.00 USD .* the sale sal_\w+ here, which earned 20\.00 USD/,
    );
    // what was paid there is still followed, and what was taken back there is counted once
    expect(await importText(account, row.replace('due', 'paid'))).toMatchObject({ changed: 1, refused: 0 });
    expect(await importText(account, row.replace('due', 'voided'))).toMatchObject({ changed: 1, refused: 0 });
    expect(await importText(account, row.replace('due', 'voided'))).toMatchObject({ unchanged: 1, refused: 0 });
    expect(await owed(account)).toBe(2_000);
  });

  it('is an entry without a sale if nobody here knows the payment', async () => {
    const account = await accountWithSale();
    expect(await importText(account, 'c1,ANA,5.00,USD,due,2026-11-01,,,in_2,ch_2,\n')).toMatchObject({ created: 1 });
    expect(await owed(account)).toBe(2_500);
  });
});
