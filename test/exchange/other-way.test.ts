import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { importCsv } from '../../src/exchange/import-csv.ts';
import type { SourceItem } from '../../src/exchange/moved/facts.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { commissionItems } from '../../src/exchange/sources/partnerstack/map.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { counts } from './import-text.ts';
import { earningsOf, findings } from './sources/moving.ts';

const COMMISSIONS = 'ID,Affiliate,Commission,Currency,State,Date\n';
const PAID = 'ID,Affiliate,Commission,Currency,State,Date,Payout ID\n';
const SALES = 'Invoice,Partner,User ID,Amount,Currency,Date,Commission,Status\n';
const PAYOUTS = 'ID,Affiliate,Amount,Currency,Status,Date\n';

describe.each(engines)('files and the API of one service, on %s', (engine) => {
  let app: TestApp;
  let ana: string;
  let id: string;
  let invoice: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    [ana, id, invoice] = [`${unique('ana')}@example.com`, unique('rw'), unique('in')];
    await app.call('POST', '/api/partners', { body: { name: 'Ana', email: ana } });
  });

  function importFile(kind: CsvKind, text: string, isDryRun = false) {
    async function* file() {
      yield Buffer.from(text);
    }
    const target = { service: app.service, accountId: app.accountId, programId: null, origin: 'PartnerStack' };
    return importCsv(target, { file: file(), kind, columns: new Map(), isDryRun, reportPath: null });
  }
  function importByApi(rewardStatus = 'approved') {
    const reward = { key: id, amount: 500, currency: 'USD', created_at: Date.UTC(2026, 0, 10), partnership_key: ana };
    const items = commissionItems({ ...reward, reward_status: rewardStatus, invoice: { key: invoice } }, 'USD');
    return importFactsOfApi(...items);
  }
  function importFactsOfApi(...items: readonly SourceItem[]) {
    async function* all() {
      yield* items;
    }
    const { service, accountId } = app;
    const source = { name: 'partnerstack', title: 'PartnerStack' };
    const target = { service, accountId, source, partnersBy: 'address', programId: null } as const;
    return importFacts(target, all(), { isDryRun: false, reportPath: null });
  }
  function paidCommission(payout: string) {
    const at = Date.UTC(2026, 0, 10);
    return {
      kind: 'commission',
      id,
      partnerId: ana,
      amountMinor: 500,
      currency: 'usd',
      status: 'paid',
      occurredAt: at,
      dueAt: null,
      paidAt: at,
      payout: { id: payout, paidAt: at },
      payment: { processor: 'stripe', invoiceId: null, references: [] },
      sale: null,
    } as const;
  }
  const row = (status: string) => `${COMMISSIONS}${id},${ana},5.00,USD,${status},2026-01-10\n`;
  const DIFFERS =
    /imported .* before, as ent_\w+, with 5\.00 USD and open, and is 5\.00 USD and \w+ now: import it that way again/;

  it('count a commission once that the API has brought', async () => {
    expect(await importByApi()).toMatchObject({ created: 1 });
    expect(await importFile('commissions', row('due'), true)).toMatchObject(counts(0, 1, 0));
    expect(await importFile('commissions', row('due'))).toMatchObject(counts(0, 1, 0));
    const { refused, problems } = await importFile('commissions', row('voided'));
    expect([refused, problems[0]?.reason]).toEqual([1, expect.stringMatching(DIFFERS)]);
    const sale = `${SALES}${invoice},${ana},${unique('user')},50.00,USD,2026-01-10,5.00,due\n`;
    expect(await importFile('sales', sale)).toMatchObject(counts(0, 0, 1));
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500, payable: 500 }]);
    expect(await findings(app)).toEqual([]);
  });

  it('count a commission once that a file has brought', async () => {
    expect(await importFile('commissions', row('due'))).toMatchObject(counts(1, 0, 0));
    expect(await importByApi()).toMatchObject({ created: 0, unchanged: 1 });
    const { refused, problems } = await importByApi('paid');
    expect([refused, problems[0]?.reason]).toEqual([1, expect.stringMatching(DIFFERS)]);
    expect(await importFile('commissions', row('paid'))).toMatchObject({ changed: 1, refused: 0 });
    expect(await importByApi('paid')).toMatchObject({ unchanged: 1 });
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500, payable: 0, paid: 500 }]);
  });

  it('refuse a commission that the other way has brought for another partner', async () => {
    const ben = `${unique('ben')}@example.com`;
    await app.call('POST', '/api/partners', { body: { name: 'Ben', email: ben } });
    expect(await importByApi()).toMatchObject({ created: 1 });
    const { refused, problems } = await importFile('commissions', row('due').replace(ana, ben));
    expect([refused, problems[0]?.reason]).toEqual([1, expect.stringMatching(/imported for Ana .*, and is for Ben/)]);
  });

  it('refuse a second commission of a payment, even if it is equal to that of the other way', async () => {
    const [other, user] = [unique('rw'), unique('user')];
    const sale = {
      customer: { externalId: user, email: null, name: null, atProcessor: null },
      currency: 'usd',
    } as const;
    const payment = { processor: 'stripe', invoiceId: invoice, references: [] } as const;
    const amounts = { amountMinor: 5_000, grossMinor: 5_000, refundedMinor: 0 };
    const ofApi = { ...paidCommission('none'), status: 'open', payment, sale: { ...sale, ...amounts } } as const;
    expect(await importFactsOfApi(ofApi)).toMatchObject({ created: 1 });
    const columns = 'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale Amount,Invoice,Processor';
    const second = `${columns}\n${other},${ana},5.00,USD,due,2026-01-10,${user},50.00,${invoice},stripe\n`;
    for (const _again of [1, 2]) {
      const { refused, problems } = await importFile('commissions', second);
      expect([refused, problems[0]?.reason]).toEqual([1, expect.stringContaining(`which is the commission ${id}`)]);
    }
    expect(await importFile('commissions', second.replace(other, id))).toMatchObject(counts(0, 1, 0));
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500 }]);
  });

  const saleRow = (user: string) =>
    `Invoice,Partner,User ID,Amount,Currency,Date\n${invoice},${ana},${user},50.00,USD,2026-01-10\n`;

  it('count a commission whose sale a file has brought without it', async () => {
    const sale = saleRow(unique('user'));
    expect(await importFile('sales', sale)).toMatchObject(counts(1, 0, 0));
    for (const created of [1, 0]) expect(await importByApi()).toMatchObject({ created, refused: 0 });
    expect(await importFile('sales', sale)).toMatchObject(counts(0, 1, 0));
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500 }]);
  });

  it('refuse a commission whose sale a file has brought for another partner, or that counted here and earned nothing', async () => {
    const refuse = async () => {
      const { created, problems } = await importByApi();
      expect([created, problems[0]?.reason]).toEqual([0, expect.stringContaining('which earned 0.00 USD for ptr_')]);
    };
    const ben = `${unique('ben')}@example.com`;
    await app.call('POST', '/api/partners', { body: { name: 'Ben', email: ben } });
    expect(await importFile('sales', saleRow(unique('user')).replace(ana, ben))).toMatchObject(counts(1, 0, 0));
    await refuse();
    const { partnerId, click } = await createReferrer(app);
    const [body, user] = [{ clickId: await click(), amount: 5_000 }, unique('user')];
    await app.call('POST', `/api/partners/${partnerId}/archive`);
    [ana, invoice] = [(await app.call('GET', `/api/partners/${partnerId}`)).body.email, unique('in')];
    const sale = { ...body, customerExternalId: user, invoiceId: invoice };
    expect((await app.call('POST', '/api/track/sale', { body: sale })).status).toBe(200);
    expect(await importFile('sales', saleRow(user))).toMatchObject(counts(1, 0, 0));
    await refuse();
  });

  it('count a payout once', async () => {
    await importFactsOfApi({ kind: 'payout', id, partnerId: ana, amountMinor: 500, currency: 'usd', paidAt: 1 });
    const paid = (amount: string) => importFile('payouts', `${PAYOUTS}${id},${ana},${amount},USD,paid,1970-01-01\n`);
    expect(await paid('5.00')).toMatchObject({ created: 0, refused: 0 });
    expect(await paid('6.00')).toMatchObject({ refused: 1 });
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500, paid: 500 }]);
  });

  it('count a commission once whose payout the other way has brought as a whole', async () => {
    const [byFile, byApi] = [unique('po'), unique('po')];
    await importFile('payouts', `${PAYOUTS}${byFile},${ana},5.00,USD,paid,2026-01-11\n`);
    await importFactsOfApi({ kind: 'payout', id: byApi, partnerId: ana, amountMinor: 500, currency: 'usd', paidAt: 1 });
    const ofFile = await importFactsOfApi(paidCommission(byFile));
    const ofApi = await importFile('commissions', `${PAID}${id},${ana},5.00,USD,paid,2026-01-10,${byApi}\n`);
    for (const { refused, problems } of [ofFile, ofApi]) {
      expect([refused, problems[0]?.reason]).toEqual([1, expect.stringContaining('would be paid twice')]);
    }
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 1000, paid: 1000 }]);
  });

  it('put commissions of one payout together, whichever way brings them', async () => {
    const payout = unique('po');
    await importFile('commissions', `${PAID}${unique('rw')},${ana},5.00,USD,paid,2026-01-10,${payout}\n`);
    const whole = {
      kind: 'payout',
      id: payout,
      partnerId: ana,
      amountMinor: 1000,
      currency: 'usd',
      paidAt: 1,
    } as const;
    expect(await importFactsOfApi(paidCommission(payout), whole)).toMatchObject({
      created: 1,
      unchanged: 1,
      refused: 0,
    });
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 1000, paid: 1000 }]);
    expect(await findings(app)).toEqual([]);
  });
});
