import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/app/service.ts';
import { resolveLink } from '../../src/links/targets.ts';
import { importCustomer } from '../../src/payments/imports/import-customer.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { createReferrer, VISITOR } from '../helpers/story.ts';

const KINDS = ['links', 'partners', 'programs'] as const;
type Kind = (typeof KINDS)[number];
type Ids = Record<Kind, string>;

describe.each(engines)('what is archived or deleted, on %s', (engine) => {
  let app: TestApp;
  let now = Date.UTC(2026, 10, 2);
  /** Another process on the same database. */
  let other: Service;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    other = createService(app.service);
  });
  afterAll(() => app.close());

  const post = async (path: string, body: object = {}, status = 201) => {
    const answer = await app.call('POST', path, { body });
    expect([path, answer.status, answer.text]).toEqual([path, status, answer.text]);
    return answer.body;
  };
  const call = (kind: Kind, id: string, verb: 'archive' | 'unarchive') =>
    post(`/api/${kind}/${id}/${verb}`, undefined, 200);
  const follow = (key: string) => app.call('GET', `/${key}`, { key: null, headers: { 'user-agent': VISITOR } });
  const listed = async (kind: Kind, query = '') =>
    (await app.call('GET', `/api/${kind}${query}`)).body.data.map(({ id }: { id: string }) => id) as string[];
  const domain = () => new URL(app.url).host;
  let count = 0;
  /** A program, a partner in it and a link of theirs. */
  async function create(): Promise<Ids & { key: string; email: string }> {
    count += 1;
    const key = `key${count}`;
    const email = `pia${count}@example.com`;
    const { id: programs } = await post('/api/programs', { name: `Program ${count}` });
    const { id: partners } = await post('/api/partners', { programId: programs, name: 'Pia', email });
    const url = 'https://shop.example.com/';
    const { id: links } = await post('/api/links', { partnerId: partners, domain: domain(), key, url });
    return { programs, partners, links, key, email };
  }

  it.each(KINDS)(
    'visitors of archived %s find no link, in other processes within a second, until it is unarchived',
    async (kind) => {
      const made = await create();
      expect((await follow(made.key)).status).toBe(302);
      await resolveLink(other, domain(), made.key);
      const archived = await call(kind, made[kind], 'archive');
      expect(archived.archivedAt).toBe(new Date(now).toISOString());
      expect((await follow(made.key)).status).toBe(404);
      const via = { domain: domain(), key: made.key, url: 'https://shop.example.com/' };
      expect((await app.call('POST', '/api/track/click', { key: null, body: via })).status).toBe(404);
      now += 1_000;
      expect(await resolveLink(other, domain(), made.key)).toBeNull();
      expect((await call(kind, made[kind], 'unarchive')).archivedAt).toBeNull();
      expect((await follow(made.key)).status).toBe(302);
    },
  );

  it('archived ones, and what belongs to them, are listed only on request', async () => {
    for (const [index, kind] of (['programs', 'partners', 'links'] as const).entries()) {
      const made = await create();
      await call(kind, made[kind], 'archive');
      for (const [place, hidden] of (['programs', 'partners', 'links'] as const).entries()) {
        const shown = {
          default: (await listed(hidden, '?limit=100')).includes(made[hidden]),
          archived: (await listed(hidden, '?limit=100&archived=true')).includes(made[hidden]),
          all: (await listed(hidden, '?limit=100&archived=all')).includes(made[hidden]),
        };
        const isHidden = place >= index;
        expect([kind, hidden, shown]).toEqual([kind, hidden, { default: !isHidden, archived: isHidden, all: true }]);
      }
    }
    expect((await app.call('GET', '/api/links?archived=maybe')).status).toBe(400);
  });

  it('the key of an archived link stays taken, that of a deleted one is free', async () => {
    const made = await create();
    const again = { partnerId: made.partners, domain: domain(), key: made.key, url: 'https://shop.example.com/' };
    await call('links', made.links, 'archive');
    expect((await app.call('POST', '/api/links', { body: again })).body.error.code).toBe('CONFLICT');
    expect((await app.call('DELETE', `/api/links/${made.links}`)).status).toBe(204);
    expect((await app.call('GET', `/api/links/${made.links}`)).status).toBe(404);
    await post('/api/links', again);
  });

  it('archived programs and partners accept nothing new, and a request without a program means the one in use', async () => {
    const fresh = await app.addAccount('Fresh Ltd');
    const as = (path: string, body: object) => app.call('POST', path, { body, key: fresh.apiKey });
    const second = (await as('/api/programs', { name: 'By mistake' })).body.id;
    expect((await as('/api/partners', { name: 'Ada', email: 'ada@example.com' })).status).toBe(400);
    await as(`/api/programs/${second}/archive`, {});
    const partner = await as('/api/partners', { name: 'Ada', email: 'ada@example.com' });
    expect(partner).toMatchObject({ status: 201, body: { programId: fresh.programId, status: 'active' } });
    const inSecond = { programId: second, name: 'Eve', email: 'eve@example.com' };
    expect((await as('/api/partners', inSecond)).body.error.code).toBe('INVALID_STATE');
    const archived = await as(`/api/partners/${partner.body.id}/archive`, {});
    expect(archived.body.status).toBe('archived');
    const link = await as('/api/links', { partnerId: partner.body.id, url: 'https://shop.example.com/' });
    expect([link.status, link.body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(link.body.error.message).toContain('unarchive');
    // their portal still shows what they are owed
    expect((await as('/api/embed/token', { enrollmentId: partner.body.id })).status).toBe(200);
  });

  it('a payment after archiving is attributed but earns nothing; earlier earnings are paid', async () => {
    const customers: Record<string, string> = {};
    const sell = async (referrer: { partnerId: string }, amount: number) => {
      const customerExternalId = customers[referrer.partnerId];
      const { sale } = await post('/api/sales', { customerExternalId, amount, currency: 'usd' }, 200);
      return (await app.call('GET', `/api/sales/${sale.id}`)).body;
    };
    for (const kind of ['partners', 'programs'] as const) {
      now += 86_400_000;
      const terms = { holdDays: 0, minimumPayout: { usd: 5_000 } };
      const { id: programId } = await post('/api/programs', { name: 'Terms', ...terms });
      const referrer = await createReferrer(app, { programId });
      customers[referrer.partnerId] = `user_${kind}`;
      await referrer.lead(`user_${kind}`);
      expect(await sell(referrer, 1_000)).toMatchObject({ commissionAmount: 200 });
      const path = kind === 'partners' ? referrer.partnerId : programId;
      await call(kind, path, 'archive');
      const later = await sell(referrer, 1_000);
      expect(later).toMatchObject({ partnerId: referrer.partnerId, commissionAmount: 0 });
      expect(JSON.stringify(later.attribution.steps)).toContain('archived when this was paid');
      const { publicToken: key } = await post('/api/embed/token', { enrollmentId: referrer.partnerId }, 200);
      const { body: shown } = await app.call('GET', '/api/embed/referrals/terms', { key });
      expect(shown).toMatchObject({ holdDays: 0, minimumPayout: {} });
      const { body: overview } = await app.call('GET', '/api/overview');
      expect(overview.payouts).toEqual([{ currency: 'usd', count: 1, amount: 200 }]);
      const run = await post('/api/payouts/run', {}, 200);
      expect(run.data).toContainEqual(expect.objectContaining({ partnerId: referrer.partnerId, amount: 200 }));
      await call(kind, path, 'unarchive');
      expect(await sell(referrer, 1_000)).toMatchObject({ commissionAmount: 200 });
    }
  });

  it('resources that nothing refers to are deleted; otherwise the answer says what refers to them', async () => {
    const made = await create();
    const remove = (kind: Kind) => app.call('DELETE', `/api/${kind}/${made[kind]}`);
    const refused = async (kind: Kind, why: string) => {
      const { status, body } = await remove(kind);
      expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
      expect(body.error.message).toContain(` has ${why}, so`);
      expect(body.error.message).toContain(`archive it instead (in the API: POST /api/${kind}/${made[kind]}/archive)`);
    };
    await refused('programs', 'partners');
    await refused('partners', 'links');
    for (const kind of KINDS) {
      expect((await remove(kind)).status).toBe(204);
      expect((await remove(kind)).status).toBe(404);
      expect(await listed(kind, '?limit=100&archived=all')).not.toContain(made[kind]);
    }
    const referrer = await createReferrer(app, { programId: app.programId, email: made.email });
    const clickId = await referrer.click();
    const withHistory = async (kind: Kind, id: string) =>
      (await app.call('DELETE', `/api/${kind}/${id}`)).body.error.message;
    expect(await withHistory('links', referrer.linkId)).toContain(' has clicks, so');
    const sale = { clickId, customerExternalId: 'buyer', amount: 100 };
    expect((await app.call('POST', '/api/track/sale', { body: sale })).status).toBe(200);
    expect(await withHistory('links', referrer.linkId)).toContain(' has clicks and sales, so');
    expect(await withHistory('partners', referrer.partnerId)).toContain(
      ' has links, clicks, sales, ledger entries and payouts, so',
    );
    const single = await app.addAccount('Single Ltd');
    const last = await app.call('DELETE', `/api/programs/${single.programId}`, { key: single.apiKey });
    expect([last.status, last.body.error.message]).toEqual([409, expect.stringContaining('only one of the account')]);
  });

  it('a deleted partner releases address, tenant id and codes, and leaves no personal data', async () => {
    const body = {
      programId: app.programId,
      name: 'Zoe Zebra',
      email: 'zoe@zebra.example',
      tenantId: 't1',
      discountCodes: ['ZOE'],
    };
    const { id } = await post('/api/partners', body);
    expect((await app.call('DELETE', `/api/partners/${id}`)).status).toBe(204);
    const row = await app.service.database.read((tx) => tx.get('SELECT * FROM partners WHERE id = @id', { id }));
    expect(JSON.stringify(row)).not.toMatch(/zoe|zebra|t1/i);
    await post('/api/partners', body);
  });

  it('a deleted partner earns nothing from customers who were imported, not even from earlier payments', async () => {
    const { id: partnerId } = await post('/api/partners', {
      programId: app.programId,
      name: 'Pia',
      email: 'p@example.com',
    });
    const imported = { externalId: 'imported', partnerId, email: null, name: null, atProcessor: null };
    await importCustomer(app.service, app.accountId, imported);
    expect((await app.call('DELETE', `/api/partners/${partnerId}`)).status).toBe(204);
    now -= 1;
    const sale = { customerExternalId: 'imported', amount: 1_000, invoiceId: 'in_imported' };
    expect((await post('/api/sales', sale, 200)).sale.commissionAmount).toBe(0);
    // the processor knows that it was paid even earlier
    const paid = received([sale.invoiceId], hints({}), { occurredAt: now - 86_400_000 });
    await applyFacts(app.service, app.accountId, paid);
    expect((await app.call('GET', '/api/sales?invoiceId=in_imported')).body.data[0].commissionAmount).toBe(0);
  });
});
