import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createEndpoint, createReferrer, type Referrer } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

const DAY_MS = 86_400_000;
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const LISTS = ['sales', 'leads', 'customers', 'partners', 'ledger', 'payouts', 'deliveries', 'parked-payments'];

describe.each(engines)('the filters of lists over HTTP, on %s', (engine) => {
  let app: TestApp;
  let pia: Referrer;
  let bo: Referrer;
  let saleOfPia: string;
  let saleOfBo: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    pia = await createReferrer(app, { name: 'Pia Lindqvist', email: 'Pia@example.com', tenantId: 'tenant_1' });
    bo = await createReferrer(app, { name: 'Bo', email: 'bo.lind@example.com' });
    await pia.lead('user_ana', { customerEmail: 'Ana@shop.example.com' });
    await bo.lead('USER_2', { customerEmail: 'ben@shop.example.com' });
    saleOfPia = await sell(app, pia, { customerExternalId: 'user_ana', invoiceId: 'in_1' });
    saleOfBo = await sell(app, bo, { customerExternalId: 'USER_2', currency: 'eur', invoiceId: 'in_2' });
    const stripe = await createEndpoint(app, 'stripe');
    await stripe.deliver(checkoutCompleted({}));
  });
  afterAll(() => app.close());

  const get = (path: string) => app.call('GET', `/api/${path}`);
  const idsOf = async (path: string) => (await get(path)).body.data.map(({ id }: { id: string }) => id);
  const membersOf = async (path: string, member: string) =>
    (await get(path)).body.data.map((resource: Record<string, unknown>) => resource[member]);

  it.each(LISTS)('%s: a period that includes now finds everything, one before or after it nothing', async (list) => {
    const all = await idsOf(list);
    expect(all.length).toBeGreaterThan(0);
    expect(await idsOf(`${list}?from=${dayFromNow(-1)}&to=${dayFromNow(1)}`)).toEqual(all);
    expect(await idsOf(`${list}?from=${dayFromNow(-1)}`)).toEqual(all);
    expect(await idsOf(`${list}?to=${dayFromNow(-1)}`)).toEqual([]);
    expect(await idsOf(`${list}?from=${dayFromNow(1)}`)).toEqual([]);
    const backwards = await get(`${list}?from=${dayFromNow(1)}&to=${dayFromNow(-1)}`);
    expect([backwards.status, backwards.body.error.details[0].path]).toEqual([400, 'to']);
  });

  it.each([...LISTS, 'links', 'statistics', 'overview'])('%s refuses a filter that it does not have', async (list) => {
    const { status, body } = await get(`${list}?mail=pia@example.com`);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('finds partners by the start of name or address in any case, by full address, by tenant and by program', async () => {
    expect(await idsOf('partners?search=PIA')).toEqual([pia.partnerId]);
    expect(await idsOf('partners?search=bo.L')).toEqual([bo.partnerId]);
    expect(await idsOf('partners?search=lind')).toEqual([]);
    expect(await idsOf('partners?search=%25')).toEqual([]);
    expect(await idsOf('partners?email=PIA@example.com')).toEqual([pia.partnerId]);
    expect(await idsOf('partners?email=pia@example')).toEqual([]);
    expect(await idsOf('partners?tenantId=tenant_1')).toEqual([pia.partnerId]);
    expect(await idsOf(`partners?tenantId=tenant_1&search=bo`)).toEqual([]);
    expect(await idsOf(`partners?programId=${app.programId}`)).toHaveLength(2);
    expect(await idsOf('partners?programId=prg_nothing')).toEqual([]);
  });

  it('finds partners by names with letters beyond ASCII, in any case and on every page', async () => {
    const { apiKey: key } = await app.addAccount('Élan Oy');
    const add = (name: string) =>
      app.call('POST', '/api/partners', { key, body: { name, email: `${randomUUID()}@example.com` } });
    const found = async (search: string) => {
      const names: string[] = [];
      for (let cursor = ''; ; ) {
        const query = new URLSearchParams({ search, limit: '2', ...(cursor === '' ? {} : { cursor }) });
        const { body } = await app.call('GET', `/api/partners?${query}`, { key });
        names.push(...body.data.map(({ name }: { name: string }) => name));
        if (body.nextCursor === null) return names;
        cursor = body.nextCursor;
      }
    };
    const names = [
      'Élan Ökonom',
      'ÉLAN',
      'Elan',
      'Οδοσ',
      'ΟΔΟΣ Αθήνα',
      'Straße 7',
      'Żaneta',
      '山田 太郎',
      'élan vital',
    ];
    for (const name of names) expect((await add(name)).status).toBe(201);
    for (const search of ['Élan', 'élan', 'ÉL', 'é']) {
      expect([search, await found(search)]).toEqual([search, ['élan vital', 'ÉLAN', 'Élan Ökonom']]);
    }
    expect(await found('ΟΔΟΣ')).toEqual(['ΟΔΟΣ Αθήνα', 'Οδοσ']);
    for (const [search, name] of [
      ['straß', 'Straße 7'],
      ['STRASSE', 'Straße 7'],
      ['żan', 'Żaneta'],
      ['山', '山田 太郎'],
    ] as const) {
      expect([search, await found(search)]).toEqual([search, [name]]);
    }
    expect(await found('Ökonom')).toEqual([]);
  });

  it('finds the few matches among thousands of partners, page by page', async () => {
    const { accountId, apiKey: key } = await app.addAccount('Thousands Ltd');
    const program = (await app.call('GET', '/api/programs', { key })).body.data[0].id;
    const n = 'WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 2500)';
    await app.service.database.write((tx) =>
      tx.run(
        `INSERT INTO partners (id, account_id, program_id, name, email, status, created_at)
         ${n} SELECT 'ptr_${'0'.repeat(25)}' || CAST(1000000 + i AS TEXT), @accountId, @program,
           CASE WHEN i % 1200 = 10 THEN 'Ågot' ELSE 'Agot' END, CAST(i AS TEXT) || '@example.com', 'active', i FROM n`,
        { accountId, program },
      ),
    );
    const search = async (query: string) => (await app.call('GET', `/api/partners?search=${query}`, { key })).body;
    const { data, nextCursor } = await search('åG&limit=2');
    expect(data.map(({ email }: { email: string }) => email)).toEqual(['2410@example.com', '1210@example.com']);
    const rest = await search(`åG&limit=2&cursor=${nextCursor}`);
    expect(rest).toMatchObject({ data: [{ email: '10@example.com' }], nextCursor: null });
    expect((await search('10@')).data).toMatchObject([{ email: '10@example.com' }]);
    expect((await search('ptr')).data).toEqual([]);
  });

  it('finds links by the start of the key and by partner, with their results', async () => {
    const [key] = await membersOf(`links?partnerId=${pia.partnerId}`, 'key');
    expect(await idsOf(`links?search=${key.slice(0, 5).toUpperCase()}`)).toEqual([pia.linkId]);
    expect(await membersOf('links?tenantId=tenant_1', 'clicks')).toEqual([2]);
    expect(await membersOf('links?tenantId=tenant_1', 'partnerName')).toEqual(['Pia Lindqvist']);
    expect(await idsOf(`links?programId=${app.programId}`)).toEqual([bo.linkId, pia.linkId]);
    expect(await idsOf('links?tenantId=nobody')).toEqual([]);
  });

  it('finds customers by the start of their id or address, and by the full address', async () => {
    expect(await membersOf('customers', 'externalId')).toEqual(['USER_2', 'user_ana']);
    expect(await membersOf('customers?search=user_', 'externalId')).toEqual(['user_ana']);
    expect(await membersOf('customers?search=BEN', 'externalId')).toEqual(['USER_2']);
    expect(await membersOf('customers?search=shop', 'externalId')).toEqual([]);
    expect(await membersOf('customers?email=ana@SHOP.example.com', 'partnerName')).toEqual(['Pia Lindqvist']);
    const first = (await get('customers?limit=1')).body;
    expect(await membersOf(`customers?limit=1&cursor=${first.nextCursor}`, 'externalId')).toEqual(['user_ana']);
  });

  it.each([
    ['search=user_ana'],
    ['search=ana@shop.example.com'],
    ['email=Ana@shop.example.com'],
    ['tenantId=tenant_1'],
  ])('finds sales and leads with %s', async (query) => {
    expect(await idsOf(`sales?${query}`)).toEqual([saleOfPia]);
    expect(await membersOf(`leads?${query}`, 'partnerName')).toEqual(['Pia Lindqvist']);
  });

  it('finds sales by invoice, link, currency and program; entries and payouts by their own filters', async () => {
    expect(await idsOf('sales?search=in_2')).toEqual([saleOfBo]);
    expect(await idsOf(`sales?linkId=${bo.linkId}`)).toEqual([saleOfBo]);
    expect(await idsOf(`sales?linkId=${bo.linkId}&partnerId=${pia.partnerId}`)).toEqual([]);
    expect(await idsOf('sales?currency=EUR&status=pending')).toEqual([saleOfBo]);
    expect(await idsOf(`sales?programId=${app.programId}`)).toEqual([saleOfBo, saleOfPia]);
    expect(await membersOf('ledger?currency=eur', 'saleId')).toEqual([saleOfBo]);
    expect(await membersOf('ledger?tenantId=tenant_1', 'partnerName')).toEqual(['Pia Lindqvist']);
    expect(await idsOf('ledger?kind=reversal')).toEqual([]);
    expect(await membersOf('payouts?currency=eur', 'partnerName')).toEqual(['Bo']);
    expect(await membersOf('payouts?tenantId=tenant_1', 'currency')).toEqual(['usd']);
    expect(await idsOf('payouts?currency=eur&tenantId=tenant_1')).toEqual([]);
    expect(await idsOf('parked-payments?processor=paddle')).toEqual([]);
    expect(await idsOf('parked-payments?processor=stripe')).toHaveLength(1);
    expect((await get('sales?search=a&email=b@example.com')).status).toBe(400);
  });

  it('finds the sales of a link that moved, for every partner who had it', async () => {
    const moved = await createReferrer(app);
    const before = await sell(app, moved, {});
    await app.call('PATCH', `/api/links/${moved.linkId}`, { body: { partnerId: bo.partnerId } });
    const after = await sell(app, moved, {});
    expect(await membersOf(`sales?linkId=${moved.linkId}`, 'partnerId')).toEqual([bo.partnerId, moved.partnerId]);
    const { data, nextCursor } = (await get(`sales?linkId=${moved.linkId}&limit=1`)).body;
    expect(data[0].id).toBe(after);
    expect(await idsOf(`sales?linkId=${moved.linkId}&limit=1&cursor=${nextCursor}`)).toEqual([before]);
  });
});
