import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSourceClient } from '../../src/exchange/sources/client.ts';
import { dub } from '../../src/exchange/sources/dub/index.ts';
import { firstpromoter } from '../../src/exchange/sources/firstpromoter/index.ts';
import { partnerstack } from '../../src/exchange/sources/partnerstack/index.ts';
import { rewardful } from '../../src/exchange/sources/rewardful/index.ts';
import { tolt } from '../../src/exchange/sources/tolt/index.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, unique } from '../helpers/story.ts';
import { chargeRefunded, invoicePaid } from '../helpers/stripe-payloads.ts';
import { dubFixture } from './sources/dub.ts';
import { earningsOf, findings, moving } from './sources/moving.ts';
import { firstpromoterFixture, partnerstackFixture, toltFixture } from './sources/others.ts';
import { rewardfulFixture } from './sources/rewardful.ts';

describe.each(engines)('moving from Rewardful, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());
  const { run, server } = moving(() => app, rewardful, rewardfulFixture);
  const refusals = [/^program,cam-2,refused,.*gift card/m, /^partner,aff-3,refused,.*program cam-2 was not imported/m];
  const more = [/^commission,com-4,refused,.*thinking/m, /^commission,com-5,refused,.*pay-2 is being paid/m];

  it('reports in a dry run what each record would become, despite a rate limit and a cut connection, and stores nothing', async () => {
    server().faults = new Map([
      [2, '429'],
      [5, 'cut'],
      [7, '500'],
    ]);
    const dry = await run({ isDryRun: true });
    expect(dry.byKind).toMatchObject({
      program: { changed: 1, refused: 1 },
      partner: { created: 2, refused: 1 },
      link: { created: 2, refused: 1 },
      code: { changed: 1 },
      customer: { created: 2 },
      commission: { created: 4, refused: 3 },
    });
    expect(dry.report).toMatch(/^payout,pay-1,unchanged,/m);
    for (const line of [...refusals, ...more]) expect(dry.report).toMatch(line);
    expect((await app.call('GET', '/api/partners')).body.data).toEqual([]);
    expect((await app.call('GET', '/api/sales')).body.data).toEqual([]);
  });

  it('continues where it was stopped, and changes nothing the second time', async () => {
    // in the middle of a partner, and of a commission
    await expect(run({ dieAt: { kind: 'partner', count: 1 } })).rejects.toThrow('killed');
    await expect(run({ dieAt: { kind: 'commission', count: 4 } })).rejects.toThrow('killed');
    server().fromOn = server().requestCount + 10;
    await expect(run()).rejects.toThrow(/Rewardful did not answer \/\w+: status 500/);
    server().fromOn = Number.POSITIVE_INFINITY;
    const first = await run();
    expect(first.byKind).toMatchObject({
      partner: { created: 0, unchanged: 2 },
      commission: { created: 1, unchanged: 3, refused: 3 },
    });
    for (const line of [...refusals, ...more]) expect(first.report).toMatch(line);
    expect(first.report).toMatch(/^partner state,aff-2,left out,"bob@example.com is disabled/m);
    const second = await run();
    expect(second).toMatchObject({ created: 0, changed: 0, refused: first.refused });
    expect(await findings(app)).toEqual([]);
  });

  it('keeps terms, links, codes, and what is owed and paid', async () => {
    const { data: programs } = (await app.call('GET', '/api/programs')).body;
    expect(programs).toMatchObject([
      {
        name: 'Friends',
        commission: { type: 'percentage', rateBasisPoints: 2_550 },
        durationMonths: 12,
        holdDays: 45,
        minimumPayout: { usd: 5_000 },
        viaParameters: ['via'],
      },
    ]);
    const { data: links } = (await app.call('GET', '/api/links')).body;
    expect(links.map(({ key, url }: { key: string; url: string }) => [key, url]).toSorted()).toEqual([
      ['ana', 'https://shop.example.com/'],
      ['bob', 'https://shop.example.com/'],
    ]);
    const ana = (await app.call('GET', '/api/partners?email=ana@example.com')).body.data[0];
    expect(ana).toMatchObject({ name: 'Ana Example', discountCodes: ['ANA10'] });
    expect(await earningsOf(app, 'ana@example.com')).toEqual([
      { currency: 'usd', earned: 4_500, reversed: 700, held: 0, payable: 1_000, paid: 2_800 },
    ]);
    const { data: payouts } = (await app.call('GET', '/api/payouts?status=paid')).body;
    const named = payouts.find(({ note }: { note: string }) => note === 'Paid by Rewardful: pay-1');
    expect(named).toMatchObject({ amount: 2_500, paidAt: '2026-02-10T10:00:00.000Z', processingBy: 'Rewardful' });
    const own = payouts.find(({ note }: { note: string }) => note === 'Paid by Rewardful: commission com-6');
    expect(own).toMatchObject({ amount: 300, paidAt: '2026-02-10T10:00:00.000Z' });
  });

  it('attributes the next renewal, and reverses an earlier payment when it is refunded later', async () => {
    const stripe = await createEndpoint(app, 'stripe');
    const renewal = { invoice: unique('in'), customer: 'cus_1002', subscription: unique('sub'), amount: 10_000 };
    expect((await stripe.deliver(invoicePaid(renewal))).body.outcome).toBe('sale');
    expect(await earningsOf(app, 'bob@example.com')).toMatchObject([{ earned: 2_550 }]);
    const { data } = (await app.call('GET', '/api/sales?customerExternalId=cus_1001')).body;
    const due = data.find((sale: { commissionAmount: number }) => sale.commissionAmount === 1_000);
    const refunded = chargeRefunded(unique('pi'), 4_000, 4_000);
    const charge = { ...(refunded.data.object as object), id: 'ch_com-2' };
    const answer = await stripe.deliver({ ...refunded, data: { ...refunded.data, object: charge } });
    expect(answer.body.outcome).toBe('reversal');
    expect((await app.call('GET', `/api/sales/${due.id}`)).body).toMatchObject({ status: 'refunded' });
    expect(await earningsOf(app, 'ana@example.com')).toMatchObject([{ payable: 0, paid: 2_800 }]);
    expect(await findings(app)).toEqual([]);
  });

  it('is refused with wrong credentials, which no message repeats', async () => {
    const wrong = await run({ headers: { authorization: 'Basic d3Jvbmc6' } }).catch((error: Error) => error.message);
    expect(wrong).toMatch(/^Rewardful refused the credentials \(401\)/);
    expect(wrong).not.toContain('d3Jvbmc6');
  });
});

/**
 * The contents of each of the other sources: one partner, Ana, with a link; one customer; a paid, an open and a voided
 * commission.
 */
describe.each([
  [
    'Dub',
    dub,
    dubFixture,
    'via',
    { earned: 2_670, payable: 570 },
    [/^commission,cm_4,refused,.*hold/m, /^commission,cm_6,refused,.*po_3 is being paid/m, /^partner,pn_050,refused/m],
  ],
  [
    'Tolt',
    tolt,
    toltFixture,
    'ref',
    {},
    [/^commission,comm_4,refused,.*pondering/m, /^commission,comm_5,refused,.*cents/m],
  ],
  [
    'FirstPromoter',
    firstpromoter,
    firstpromoterFixture,
    'fpr',
    {},
    [
      /^commission,45,refused,.*thinking/m,
      /^commission,44,left out,/m,
      /^partner state,11,left out,.*blocked/m,
      /^split,21,left out,/m,
    ],
  ],
  [
    'PartnerStack',
    partnerstack,
    partnerstackFixture,
    'ps_partner_key',
    {},
    [/^commission,rw_4,refused,.*hold/m, /^commission,rw_6,refused,.*expired/m, /^customer,c_2,left/m],
  ],
] as const)('moving from %s', (_title, source, fixture, parameter, earned, lines) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());
  const { run, server } = moving(() => app, source, fixture);

  it('imports its contents, despite a rate limit and a cut connection, after a dry run, and nothing the second time', async () => {
    server().faults = new Map([
      [2, 'cut'],
      [3, '429'],
    ]);
    const dry = await run({ isDryRun: true });
    expect((await app.call('GET', '/api/partners')).body.data).toEqual([]);
    const first = await run();
    expect(dry.byKind).toEqual(first.byKind);
    for (const line of lines) expect(first.report).toMatch(line);
    expect(await run()).toMatchObject({ created: 0, changed: 0, refused: first.refused });
    const [{ data: links }, { data: programs }] = await Promise.all(
      ['/api/links', '/api/programs'].map(async (path) => (await app.call('GET', path)).body),
    );
    expect(links).toMatchObject([{ key: 'ana', url: 'https://shop.example.com/' }]);
    expect(programs).toMatchObject([{ viaParameters: [...new Set(['via', parameter])] }]);
    const { body: customer } = await app.call('GET', '/api/customers/user_1');
    expect(customer).toMatchObject({ externalId: 'user_1', email: 'one@example.com', partnerId: links[0].partnerId });
    const expected = { currency: 'usd', earned: 2_600, reversed: 100, held: 0, payable: 500, paid: 2_000, ...earned };
    expect(await earningsOf(app, 'ana@example.com')).toEqual([expected]);
    const { data: sales } = (await app.call('GET', '/api/sales?customerExternalId=user_1')).body;
    expect(sales.length).toBeGreaterThanOrEqual(3);
    expect(await findings(app)).toEqual([]);
  });
});

describe('a payout at Dub that paid commissions of an earlier import, too', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());
  const { run, server } = moving(() => app, dub, dubFixture);

  it('is compared with all of them in a dry run, and another one with those that name no payout', async () => {
    await run();
    const change = (path: string, id: string, changes: object) => {
      const rows = server().lists[path] as { id: string }[];
      server().lists[path] = rows.map((row) => (row.id === id ? { ...row, ...changes } : row));
    };
    change('/commissions', 'cm_2', { status: 'paid', payoutId: 'po_1' });
    change('/payouts', 'po_1', { amount: 2_500 });
    // commissions that name no payout, and a payout that may have paid them
    const copy = (path: string, id: string, changes: object) => {
      const rows = server().lists[path] as { id: string }[];
      server().lists[path] = [...rows, { ...rows.find((row) => row.id === id), ...changes }];
    };
    copy('/commissions', 'cm_2', { id: 'cm_7', invoiceId: 'in_7', payoutId: null });
    copy('/payouts', 'po_1', { id: 'po_4' });
    for (const isDryRun of [true, false]) {
      const { report } = await run({ isDryRun });
      expect(report.match(/^(commission,cm_[27]|payout,po_[14]),[a-z]+/gm)).toEqual([
        'commission,cm_2,changed',
        'commission,cm_7,created',
        'payout,po_1,unchanged',
        'payout,po_4,refused',
      ]);
    }
  });
});

it('a request that cannot be sent is refused with a message that quotes nothing of it', async () => {
  const secret = unique('secret');
  const clients = [
    { apiUrl: 'http://127.0.0.1:1', headers: { authorization: `Bearer ${secret}\nX-More: 1` } },
    { apiUrl: `http://user:${secret}@127.0.0.1:1`, headers: {} },
  ];
  for (const client of clients) {
    const limit = { requests: 10, perMs: 1 };
    const asked = createSourceClient({ ...client, title: 'Dub', limit, wait: async () => {} }).get('/partners');
    const error = await asked.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('cannot be sent') });
    expect(inspect(error, { depth: 5 })).not.toContain(secret);
  }
});
