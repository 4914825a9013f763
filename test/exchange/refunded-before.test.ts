import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDITS, runAudit } from '../../src/audit/audits.ts';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import type { SourceItem } from '../../src/exchange/moved/facts.ts';
import { commissionItems as ofRewardful } from '../../src/exchange/sources/rewardful/map.ts';
import { getEarnings } from '../../src/ledger/earnings.ts';
import { earningsQuery } from '../../src/ledger/schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { facts, lead, MIA, ordersOf } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { disputed, hints, received, refunded } from '../helpers/facts.ts';
import { rounds } from '../helpers/rounds.ts';
import { importItemsFor, importTextFor } from './import-for.ts';

const NOW = Date.UTC(2026, 10, 2);
const DAY_MS = 86_400_000;

const CH_1 = ['ch_1'];
const PAID = facts(received(['in_1', 'ch_1'], hints(MIA)));
const refund = (refundId: string, amountMinor: number) => facts(refunded(CH_1, { refundId, amountMinor }));
const total = (cumulativeAmountMinor: number) => facts(refunded(CH_1, { cumulativeAmountMinor, chargeId: 'ch_1' }));
const dispute = facts(disputed(CH_1, 'dp_1', 9_000, 'lost'));

/** Reported after the import. */
const later = (refundId: string, amountMinor: number, charge: { chargeId?: string } = {}) =>
  facts({ ...refunded(CH_1, { refundId, amountMinor, ...charge }), occurredAt: NOW + DAY_MS });
const CHARGE = { chargeId: 'ch_1' };
const laterOfBefore = (refundId: string, amountMinor: number) =>
  facts({
    ...refunded(CH_1, { refundId, amountMinor, ...CHARGE }),
    occurredAt: NOW + DAY_MS,
    madeAt: Date.UTC(2026, 9, 1),
  });

/** The shopper paid 110.00 EUR. */
const PAID_IN_EUROS = facts(
  received(['in_1', 'ch_1'], hints(MIA), { presentment: { currency: 'eur', grossMinor: 11_000 } }),
);
const inEuros = (refundId: string, amountMinor: number, days = 0) => {
  const fact = refunded(CH_1, { refundId, amountMinor }, 'eur');
  return facts(days === 0 ? fact : { ...fact, occurredAt: NOW + days * DAY_MS });
};

/** 120.00 USD, 20.00 of them tax, which earned 20 %; less what was refunded there. */
function rewardful(refundedMinor: number, state = 'due'): SourceItem[] {
  const share = (minor: number) => minor - (minor * refundedMinor) / 12_000;
  const mia = { platform: 'stripe', id: 'mia', name: null, email: null };
  return ofRewardful(
    {
      id: 'com_1',
      amount: share(2_000),
      currency: 'USD',
      state,
      created_at: '2026-11-01T00:00:00Z',
      sale: {
        currency: 'USD',
        stripe_charge_id: 'ch_1',
        charge_amount_cents: 12_000,
        refund_amount_cents: refundedMinor,
        sale_amount_cents: share(10_000),
        referral: { id: 'ref_1', customer: mia },
        affiliate: { id: 'aff_1' },
      },
    },
    new Map(),
  );
}

describe.each(engines)('a sale of which something was refunded before its import, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
  });
  afterAll(() => app.close());
  type Arrival = typeof lead;

  const importItems = (account: ReferredAccount, items: readonly SourceItem[]) => importItemsFor(app, account, items);

  const importText = (account: ReferredAccount, kind: CsvKind, text: string) =>
    importTextFor(app, account, { kind, text, origin: 'Old service' });

  async function expectAgreement({ accountId }: ReferredAccount) {
    for (const audit of AUDITS) expect(await runAudit(app.service, accountId, audit)).toMatchObject({ count: 0 });
  }

  const earningsOf = async ({ accountId, partnerId }: ReferredAccount) =>
    (await getEarnings(app.service, accountId, partnerId, parseInput(earningsQuery, {}))).data;

  const moved =
    (refundedMinor: number): Arrival =>
    async (_, account) => {
      expect(await importItems(account, rewardful(refundedMinor))).toMatchObject({ refused: 0 });
    };
  const SALES_HEAD =
    'Invoice,Charge,Partner,User ID,Amount,Gross amount,refundedAmount,Currency,Date,Commission,Status\n';
  const file =
    (amounts: string, earned: string): Arrival =>
    async (_, account) => {
      const row = `in_1,ch_1,ANA,mia,${amounts},USD,2026-11-01,${earned}\n`;
      expect(await importText(account, 'sales', SALES_HEAD + row)).toMatchObject({ created: 1, refused: 0 });
    };

  it.each<[string, Arrival[], number, number]>([
    ['the refund waits for the payment', [refund('re_1', 3_000), moved(3_000)], 1_500, 3_000],
    ['the total waits for the payment', [total(3_000), moved(3_000)], 1_500, 3_000],
    ['both wait with the payment', [PAID, refund('re_1', 3_000), total(3_000), moved(3_000)], 1_500, 3_000],
    ['a file says so', [PAID, refund('re_1', 3_000), file('75.00,120.00,30.00', '15.00,due')], 1_500, 3_000],
    ['all of it was refunded after it was paid', [file('0,120.00,120.00', '15.00,paid'), total(12_000)], 1_500, 12_000],
    [
      'the payment, the refund and the total come later',
      [moved(3_000), PAID, refund('re_1', 3_000), total(3_000)],
      1_500,
      3_000,
    ],
    ['two refunds wait', [refund('re_1', 1_000), refund('re_2', 2_000), moved(3_000)], 1_500, 3_000],
    ['more was refunded here', [PAID, refund('re_1', 4_500), moved(3_000)], 1_250, 4_500],
    ['the total grows', [moved(3_000), total(6_000)], 1_000, 6_000],
    ['a further refund follows', [PAID, refund('re_1', 3_000), moved(3_000), later('re_2', 3_000)], 1_000, 6_000],
    ['its refund is updated later', [refund('re_1', 3_000), moved(3_000), later('re_1', 3_000)], 1_500, 3_000],
    ['its refund is reported later', [moved(3_000), laterOfBefore('re_1', 3_000)], 1_500, 3_000],
    ['it is reported late, then early', [moved(3_000), later('re_1', 3_000), refund('re_1', 3_000)], 1_500, 3_000],
    ['a further refund of the charge', [moved(3_000), later('re_2', 3_000, CHARGE), total(6_000)], 1_000, 6_000],
    ['a further one is reported only by id', [moved(3_000), later('re_2', 3_000, CHARGE)], 1_000, 6_000],
    ['it and the total follow', [moved(3_000), later('re_2', 3_000), total(6_000)], 1_000, 6_000],
    ['the rest is refunded', [total(3_000), moved(3_000), total(12_000)], 0, 12_000],
    ['the rest is lost', [moved(3_000), dispute, total(3_000)], 0, 12_000],
    ['the sale was counted here before', [lead, PAID, refund('re_1', 3_000), moved(3_000), moved(3_000)], 1_500, 3_000],
    ['they are in the currency of the shopper', [PAID_IN_EUROS, inEuros('re_1', 2_750), moved(3_000)], 1_500, 3_000],
    [
      'further ones are, too',
      [PAID_IN_EUROS, moved(3_000), inEuros('re_1', 2_750), inEuros('re_2', 2_750, 1)],
      1_000,
      6_000,
    ],
    [
      'all is refunded in the currency of the shopper',
      [PAID_IN_EUROS, moved(3_000), inEuros('re_1', 2_750), inEuros('re_2', 8_250, 1)],
      0,
      12_000,
    ],
    ['only the processor says so', [PAID, refund('re_1', 3_000), moved(0)], 1_500, 3_000],
  ])('is lowered once if %s', async (_, arrivals, owed, refundedAmount) => {
    const account = await createReferredAccount(app.service);
    for (const arrive of arrivals) await arrive(app, account);
    expect(await endStateOf(app.service, account.accountId)).toMatchObject({
      owed,
      parked: 0,
      sales: [{ grossAmount: 12_000, refundedAmount }],
    });
    await expectAgreement(account);
  });

  it('ends the same in any order, with any repetition', async () => {
    const arrivals: Record<string, Arrival> = {
      paid: PAID,
      refund: facts(refunded(CH_1, { refundId: 're_1', amountMinor: 3_000, ...CHARGE })),
      total: total(3_000),
      import: moved(3_000),
      'later refund': later('re_2', 3_000, CHARGE),
      'later total': total(6_000),
    };
    await fc.assert(
      fc.asyncProperty(ordersOf(Object.keys(arrivals)), async (order) => {
        const account = await createReferredAccount(app.service);
        for (const name of order) await arrivals[name]?.(app, account);
        const { owed, sales } = await endStateOf(app.service, account.accountId);
        expect([owed, sales.map(({ refundedAmount }) => refundedAmount)]).toEqual([1_000, [6_000]]);
      }),
      { numRuns: engine === 'sqlite' ? rounds(60) : rounds(6) },
    );
  });

  it('stays as it is when the service has lowered it for a refund that was also reported here, and is paid so', async () => {
    const account = await createReferredAccount(app.service);
    await moved(0)(app, account);
    await total(3_000)(app, account);
    expect(await importItems(account, rewardful(3_000))).toMatchObject({ unchanged: 1, refused: 0 });
    const { problems } = await importItems(account, rewardful(6_000));
    expect(problems[0]?.reason).toMatch(
      /^It was 20\.00 USD .* 10\.00 USD now; refunds have taken back 5\.00 USD of it here: /,
    );
    expect(await endStateOf(app.service, account.accountId)).toMatchObject({ owed: 1_500 });
    expect(await importItems(account, rewardful(3_000, 'paid'))).toMatchObject({ changed: 1, refused: 0 });
    await total(6_000)(app, account);
    expect(await importItems(account, rewardful(3_000, 'paid'))).toMatchObject({ unchanged: 1, refused: 0 });
    expect(await earningsOf(account)).toMatchObject([{ earned: 2_000, reversed: 1_000, held: -500, paid: 1_500 }]);
    await expectAgreement(account);
  });

  it.each<[string, Arrival[], number]>([
    ['imported', [moved(0)], 4_800],
    ['counted here', [lead, PAID], 4_800],
    ['imported', [moved(0)], 12_000],
    ['counted here', [lead, PAID], 12_000],
  ])(
    'is paid as it was there, if it was %s before and further refunds were reported since',
    async (_, arrivals, all) => {
      const account = await createReferredAccount(app.service);
      for (const arrive of [...arrivals, total(3_000), total(all)]) await arrive(app, account);
      expect(await importItems(account, rewardful(3_000, 'paid'))).toMatchObject({ refused: 0 });
      const reversed = all / 6;
      expect(await earningsOf(account)).toMatchObject([{ earned: 2_000, reversed, held: 500 - reversed, paid: 1_500 }]);
      for (const lowered of [3_000, all]) {
        expect(await importItems(account, rewardful(lowered, 'paid'))).toMatchObject({ unchanged: 1, refused: 0 });
      }
      await expectAgreement(account);
    },
  );

  it('is paid as a further file says, in which its row is lower for a refund that was also reported here', async () => {
    const account = await createReferredAccount(app.service);
    const rowOf = (cells: string) => `${SALES_HEAD}in_1,ch_1,ANA,mia,${cells}\n`;
    await importText(account, 'sales', rowOf('100.00,120.00,,USD,2026-11-01,20.00,due'));
    await total(3_000)(app, account);
    const paid = rowOf('75.00,120.00,30.00,USD,2026-11-01,15.00,paid');
    expect(await importText(account, 'sales', paid)).toMatchObject({ changed: 1, refused: 0 });
    expect(await importText(account, 'sales', paid)).toMatchObject({ unchanged: 1, refused: 0 });
    const other = rowOf('50.00,120.00,60.00,USD,2026-11-01,10.00,paid');
    expect(await importText(account, 'sales', other)).toMatchObject({ refused: 1 });
  });

  it('is not lowered by a negative commission that comes before it, while a refund waits here', async () => {
    const account = await createReferredAccount(app.service);
    await PAID(app, account);
    await refund('re_1', 3_000)(app, account);
    const head = 'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale amount,Charge,Processor\n';
    const rows = `${head}c2,ANA,-5.00,USD,due,2026-11-01,,,ch_1,stripe\nc1,ANA,20.00,USD,due,2026-11-01,mia,100.00,ch_1,stripe\n`;
    for (const created of [1, 0]) {
      const { problems, ...counts } = await importText(account, 'commissions', rows);
      expect(counts).toMatchObject({ created, refused: 1 });
      expect(problems).toMatchObject([{ key: 'c2', reason: expect.stringMatching(/^It is -5\.00 USD, and .* here/) }]);
    }
    expect(await endStateOf(app.service, account.accountId)).toMatchObject({ owed: 1_500 });
  });

  it('is refused in a file that does not state the total before the refund', async () => {
    const account = await createReferredAccount(app.service);
    const row = 'in_1,ch_1,ANA,mia,75.00,,30.00,USD,2026-11-01,15.00,due\n';
    const { problems } = await importText(account, 'sales', SALES_HEAD + row);
    expect(problems).toMatchObject([{ line: 2, reason: expect.stringMatching(/^refundedAmount: .* as grossAmount$/) }]);
  });
});
