import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { MovedCommission, MovedFact } from '../../src/exchange/moved/facts.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { observeQueries } from '../helpers/observe-queries.ts';
import { createEndpoint } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { counts } from './import-text.ts';
import { ANA, atStripe, BOB, COMMISSION, importAll, LINK, MIA, PARTNER, programOf, soldAs } from './old-service.ts';

let apps: AppOfMany;
let app: TestApp;
beforeAll(async () => {
  apps = await createAppOfMany('sqlite');
});
beforeEach(async () => {
  app = await apps.addApp();
});
afterAll(() => apps.close());

const FACTS: MovedFact[] = [
  { ...PARTNER, id: 'p_1', email: 'ana@example.com' },
  { ...PARTNER, id: 'p_2', email: 'Ana@example.com' },
  { kind: 'link', id: 'l_1', partnerId: 'p_1', domain: null, key: 'ana', url: 'https://shop.example.com/' },
  { kind: 'code', id: 'k_1', partnerId: 'p_2', code: 'ANA10' },
  { kind: 'customer', id: 'c_1', partnerId: 'p_1', externalId: 'mia', email: null, name: null, atProcessor: null },
  {
    ...{ kind: 'commission', id: 'm_1', partnerId: 'p_2', amountMinor: 500, currency: 'usd', sale: null },
    ...{ status: 'paid', occurredAt: 1, dueAt: null, paidAt: 1, payout: { id: 'po_1', paidAt: 1 } },
    payment: { processor: 'custom', invoiceId: null, references: [] },
  },
  { kind: 'payout', id: 'po_1', partnerId: 'p_2', amountMinor: 500, currency: 'usd', paidAt: 1 },
];

it('an import finds one partner under two ids, and its dry run says so', async () => {
  const dry = await importAll(app, FACTS, true);
  expect(dry).toMatchObject({ reasons: [], all: { ...counts(4, 2, 0), changed: 1 } });
  expect(await importAll(app, FACTS, false)).toEqual(dry);
  expect((await importAll(app, FACTS, false)).all).toMatchObject(counts(0, 7, 0));
});

it.each<[string, MovedFact[], object, RegExp | null]>([
  [
    'two partners with one tenant id',
    [
      { ...ANA, tenantId: 't' },
      { ...BOB, tenantId: 't' },
    ],
    counts(1, 0, 1),
    /^tenantId: the partner ptr_… of this program already has "t"$/,
  ],
  [
    "a customer who comes again with a processor's id, which another one has after that",
    [ANA, MIA, { ...MIA, atProcessor: atStripe }, { ...MIA, externalId: 'leo', atProcessor: atStripe }],
    { ...counts(2, 0, 1), changed: 1 },
    /^cus_1 of stripe belongs to another customer$/,
  ],
  [
    'links and codes of a partner under both ids',
    [
      ...[BOB, { ...BOB, id: 'p_3' }, LINK, { ...LINK, id: 'l_2', partnerId: 'p_3' }],
      { kind: 'code', id: 'k_1', partnerId: 'p_2', code: 'BOB10' },
      { kind: 'code', id: 'k_2', partnerId: 'p_3', code: 'bob10' },
    ],
    { ...counts(2, 3, 0), changed: 1 },
    null,
  ],
  [
    'a commission that comes again with another status',
    [ANA, { ...COMMISSION, status: 'open', paidAt: null }, COMMISSION],
    { ...counts(2, 0, 0), changed: 1 },
    null,
  ],
  [
    'a payout that commissions of two partners name',
    [
      ...[ANA, BOB, { ...COMMISSION, payout: { id: 'po_1', paidAt: 1 } }],
      { ...COMMISSION, id: 'm_2', partnerId: 'p_2', payout: { id: 'po_1', paidAt: 1 } },
    ],
    counts(3, 0, 1),
    /^Its payout po_1 is of another partner/,
  ],
  [
    'a payout whose commissions name one partner under two ids',
    [
      ...[ANA, { ...ANA, id: 'p_3' }, { ...COMMISSION, payout: { id: 'po_1', paidAt: 1 } }],
      { ...COMMISSION, id: 'm_2', partnerId: 'p_3', payout: { id: 'po_1', paidAt: 1 } },
      { kind: 'payout', id: 'po_1', partnerId: 'p_1', amountMinor: 1_000, currency: 'usd', paidAt: 1 },
    ],
    counts(3, 2, 0),
    null,
  ],
  [
    'links with one key on two domains',
    [
      ...[ANA, BOB, { ...LINK, key: 'two' }, { ...LINK, key: 'two', domain: 'go.example.com' }],
      { ...LINK, key: 'two', domain: 'go.example.com', partnerId: 'p_1' },
      { ...LINK, key: 'two', domain: 'go.example.com' },
    ],
    counts(4, 1, 1),
    /^key: "two" is the link of another partner$/,
  ],
  [
    'a payout of a partner who is in two programs, and has a commission in a payout of its own in each',
    [
      ...['g_1', 'g_2'].map((id) => programOf(id)),
      ...[{ ...ANA, programId: 'g_1' }, COMMISSION],
      ...[
        { ...ANA, id: 'p_2', programId: 'g_2' },
        { ...COMMISSION, id: 'm_2', partnerId: 'p_2' },
      ],
      { kind: 'payout', id: 'po_1', partnerId: 'p_2', amountMinor: 500, currency: 'usd', paidAt: 1 },
    ],
    { ...counts(5, 0, 1), changed: 1 },
    /^Commissions of its partner in USD were imported as paid without naming a payout/,
  ],
])('the dry run says what becomes of %s', async (_, facts, expected, refusal) => {
  const dry = await importAll(app, facts, true);
  expect(dry.all).toMatchObject(expected);
  expect(dry.reasons.map(([, reason]) => reason)).toEqual(refusal === null ? [] : [expect.stringMatching(refusal)]);
  expect(await importAll(app, facts, false)).toEqual(dry);
});

it('the dry run of a partner stores few of the programs before theirs', async () => {
  const programs = Array.from({ length: 20 }, (_, nth) => programOf(`g_${nth}`));
  const partners = [...programs, ...programs].map(({ id }, nth) => ({
    ...{ ...BOB, id: `p_${nth}`, programId: id, email: `${id}@example.com` },
  }));
  let stored = 0;
  const service = observeQueries(app.service, (sql) => {
    if (sql.startsWith('INSERT INTO programs')) stored += 1;
  });
  const dry = await importAll({ ...app, service }, [...programs, ...partners], true);
  expect(dry.all).toMatchObject({ ...counts(39, 20, 0), changed: 1 });
  expect(stored / 60).toBeLessThan(3);
  expect(await importAll(app, [...programs, ...partners], false)).toEqual(dry);
});

it('the dry run of a code does not rewrite those before it, one after the other', async () => {
  const codes = Array.from({ length: 110 }, (_, nth): MovedFact => {
    return { kind: 'code', id: `k_${nth}`, partnerId: 'p_1', code: `CODE${nth}` };
  });
  let written = 0;
  const service = observeQueries(app.service, (sql) => {
    if (sql.startsWith('DELETE FROM partner_discount_codes')) written += 1;
  });
  const dry = await importAll({ ...app, service }, [ANA, ...codes], true);
  expect(dry.all).toMatchObject({ ...counts(1, 0, 10), changed: 100 });
  expect(written).toBeGreaterThanOrEqual(100);
  // of the new partner, with the earlier codes, and with this one
  expect(written / codes.length).toBeLessThanOrEqual(3);
  expect(await importAll(app, [ANA, ...codes], false)).toEqual(dry);
});

it('the dry run foresees that a customer brings a parked payment, which is then no new sale', async () => {
  const stripe = await createEndpoint(app, 'stripe');
  const parked = await stripe.deliver(invoicePaid({ invoice: 'in_1', customer: 'cus_1', amount: 5_000 }));
  expect(parked.body.outcome).toBe('unattributed');
  const sold: MovedCommission = {
    ...{ ...COMMISSION, payment: { processor: 'stripe', invoiceId: 'in_1', references: [] } },
    sale: { customer: MIA, amountMinor: 5_000, grossMinor: 5_000, refundedMinor: 0, currency: 'usd' },
  };
  const facts = [ANA, { ...MIA, atProcessor: atStripe }, sold];
  const dry = await importAll(app, facts, true);
  expect(dry.reasons).toEqual([
    ['m_1', expect.stringMatching(/its payment is the sale sal_… here, which earned 10.00 USD/)],
  ]);
  expect(await importAll(app, facts, false)).toEqual(dry);
});

it("the dry run foresees that the sale of a parked payment brings the payer's other ones", async () => {
  const stripe = await createEndpoint(app, 'stripe');
  for (const invoice of ['in_1', 'in_2']) {
    const parked = await stripe.deliver(invoicePaid({ invoice, customer: 'cus_1', amount: 5_000 }));
    expect(parked.body.outcome).toBe('unattributed');
  }
  const named: MovedCommission = {
    ...{ ...COMMISSION, id: 'm_2', status: 'open', paidAt: null },
    payment: { processor: 'custom', invoiceId: null, references: ['in_2'] },
  };
  const facts = [ANA, soldAs('m_1', 'in_1', []), named];
  const dry = await importAll(app, facts, true);
  expect(dry.reasons).toEqual([
    ['m_2', expect.stringMatching(/its payment is the sale sal_… here, which earned 10.00 USD/)],
  ]);
  expect(await importAll(app, facts, false)).toEqual(dry);
});

it('a commission without a sale that is repeated gives its ids to no sale', async () => {
  const payment = { processor: 'stripe', invoiceId: 'in_1', references: ['ch_1'] } as const;
  const earnedNothing = { ...soldAs('m_2', 'in_2', ['ch_1']), amountMinor: 0 };
  const facts = [ANA, { ...COMMISSION, status: 'open', paidAt: null, payment }, earnedNothing] as const;
  expect((await importAll(app, facts, false)).all).toMatchObject(counts(3, 0, 0));
  const references = () =>
    app.service.database.read((tx) =>
      tx.all('SELECT value FROM payment_references WHERE account_id = @accountId', { accountId: app.accountId }),
    );
  const before = await references();
  expect((await importAll(app, facts, false)).all).toMatchObject(counts(0, 3, 0));
  expect(await references()).toEqual(before);
});
