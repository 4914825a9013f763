import type { Dub } from 'dub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { dubFor } from './dub.ts';

const SHOP = 'https://shop.example.com/';

describe.each(engines)('the package dub, managing %s', (engine) => {
  let app: TestApp;
  let dub: Dub;
  let partnerId: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    dub = dubFor(app, app.apiKey);
    partnerId = (await dub.partners.create({ name: 'Ana', email: 'ana@example.com', tenantId: 'tenant_ana' })).id;
  });
  afterAll(() => app.close());

  it('creates, finds, changes and replaces a link', async () => {
    const externalId = unique('their');
    const created = await dub.links.create({
      url: `${SHOP}?a=1`,
      tenantId: 'tenant_ana',
      externalId,
      utmSource: 'ana',
    });
    const domain = new URL(app.service.baseUrl).host;
    expect(created).toMatchObject({
      id: expect.stringMatching(/^lnk_/),
      domain,
      url: `${SHOP}?a=1&utm_source=ana`,
      shortLink: expect.stringContaining(`${domain}/${created.key}`),
      externalId,
      tenantId: 'tenant_ana',
      partnerId,
      programId: app.programId,
      utmSource: 'ana',
      utmMedium: null,
      clicks: 0,
      saleAmount: 0,
      webhookIds: [],
    });
    for (const named of [{ linkId: created.id }, { externalId: `ext_${externalId}` }, { domain, key: created.key }]) {
      expect(await dub.links.get(named)).toEqual(created);
    }
    const changed = await dub.links.update(`ext_${externalId}`, { url: `${SHOP}new` });
    expect(changed).toMatchObject({ id: created.id, url: `${SHOP}new`, key: created.key, externalId });
    const replaced = await dub.links.upsert({ url: `${SHOP}newer`, partnerId, externalId });
    expect(replaced).toMatchObject({ id: created.id, url: `${SHOP}newer` });
    expect(await dub.links.upsert({ url: `${SHOP}newer`, partnerId })).toMatchObject({ id: created.id });
    const added = await dub.links.upsert({ url: `${SHOP}other`, partnerId, key: unique('key') });
    expect(added.id).not.toBe(created.id);
    const ben = await dub.partners.create({ name: 'Ben', email: `${unique('ben')}@example.com` });
    const taken = dub.links.upsert({ url: `${SHOP}other`, partnerId: ben.id, key: added.key });
    await expect(taken).rejects.toMatchObject({ name: 'Conflict' });
    expect(await dub.links.upsert({ url: `${SHOP}other`, partnerId, key: added.key })).toEqual(added);
    await expect(dub.links.update(added.id, { externalId })).rejects.toMatchObject({ name: 'Conflict' });
    expect(await dub.links.update(created.id, { externalId: null })).toMatchObject({ externalId: null });
    expect(await dub.links.update(added.id, { externalId })).toMatchObject({ externalId });
  });

  it('finds the link to a destination again, however many links the partner has had since', async () => {
    const other = await dub.partners.create({ name: 'Many', email: `${unique('many')}@example.com` });
    const upsert = (name: string, more: object = {}) =>
      dub.links.upsert({ url: SHOP + name, partnerId: other.id, ...more });
    const first = await upsert('first');
    const elsewhere = await upsert('first', { domain: `${unique('go')}.example.com`.replaceAll('_', '-') });
    expect(elsewhere.id).not.toBe(first.id);
    for (let n = 0; n < 100; n += 1) await dub.links.create({ url: `${SHOP}${n}`, partnerId: other.id });
    expect(await upsert('first', { domain: first.domain })).toMatchObject({ id: first.id });
    expect(await upsert('first')).toMatchObject({ id: elsewhere.id });
    // neither another partner's link, nor one that is no longer in use
    expect((await upsert('first', { partnerId })).id).not.toBe(elsewhere.id);
    await app.call('POST', `/api/links/${elsewhere.id}/archive`);
    expect(await upsert('first')).toMatchObject({ id: first.id });
  });

  it('stores no link when its external id is taken', async () => {
    const externalId = unique('their');
    await dub.links.create({ url: SHOP, partnerId, externalId });
    const before = await dub.partners.retrieveLinks({ partnerId });
    await expect(dub.links.create({ url: SHOP, partnerId, externalId })).rejects.toMatchObject({ name: 'Conflict' });
    expect(await dub.partners.retrieveLinks({ partnerId })).toEqual(before);
  });

  it('finds the partner of a tenant in the named program', async () => {
    const own = await app.addAccount('Two Programs Ltd');
    const [call, key] = [app.call, own.apiKey];
    const theirs = dubFor(app, key);
    const tenantId = 'tenant_of_two';
    const only = await theirs.partners.create({ name: 'Ana', email: 'ana@example.com', tenantId });
    expect(await theirs.links.create({ url: SHOP, tenantId })).toMatchObject({ partnerId: only.id });
    const { id: second } = (await call('POST', '/api/programs', { key, body: { name: 'Second' } })).body;
    const body = { programId: second, name: 'Ana', email: 'ana@example.com', tenantId };
    const other = (await call('POST', '/api/partners', { key, body })).body;
    const ambiguous = expect.objectContaining({ message: expect.stringMatching(/^programId: is required.*prg_/) });
    const unclear = { name: 'UnprocessableEntity', error: ambiguous };
    for (const { programId, id: partnerId } of [only, other]) {
      const link = await theirs.links.create({ url: SHOP, tenantId, programId, key: unique('own') });
      expect(link).toMatchObject({ programId, partnerId });
      const upserted = await theirs.links.upsert({ url: `${SHOP}up`, tenantId, programId });
      expect(upserted).toMatchObject({ programId, partnerId });
      expect(await theirs.links.upsert({ url: `${SHOP}up`, tenantId, programId })).toEqual(upserted);
      expect(await theirs.links.update(link.id, { tenantId, url: `${SHOP}changed` })).toMatchObject({ partnerId });
      const named = { url: SHOP, tenantId, programId };
      const { body: created } = await call('POST', '/compat/dub/partners/links', { key, body: named });
      expect(created).toMatchObject({ programId, partnerId });
    }
    await expect(theirs.links.create({ url: SHOP, tenantId })).rejects.toMatchObject(unclear);
    await expect(theirs.partners.createLink({ url: SHOP, tenantId })).rejects.toMatchObject(unclear);
    const unknown = { url: SHOP, tenantId, programId: app.programId };
    await expect(theirs.links.create(unknown)).rejects.toMatchObject({ name: 'NotFound' });

    await call('POST', `/api/programs/${only.programId}/archive`, { key });
    expect(await theirs.links.create({ url: SHOP, tenantId })).toMatchObject({ partnerId: other.id });
  });

  it('lists links as a bare array, page by page, each once', async () => {
    const own = await dub.partners.create({
      name: 'Many',
      email: `${unique('many')}@example.com`,
      tenantId: unique('t'),
    });
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift((await dub.links.create({ url: SHOP, partnerId: own.id })).id);
    const seen: string[] = [];
    for await (const { result } of await dub.links.list({ tenantId: own.tenantId ?? '', pageSize: 2 })) {
      seen.push(...result.map(({ id }) => id));
      // a row that is added meanwhile shifts nothing
      if (seen.length === 2) await dub.links.create({ url: SHOP, partnerId: own.id });
    }
    expect(seen).toEqual(made);
    const { result: rest } = await dub.links.list({ tenantId: own.tenantId ?? '', startingAfter: made[2] ?? '' });
    expect(rest.map(({ id }) => id)).toEqual(made.slice(3));
    expect((await dub.links.list({ tenantId: own.tenantId ?? '', page: 50, pageSize: 1 })).result).toEqual([]);
    const { body } = await app.call('GET', '/compat/dub/links?pageSize=1');
    expect(body).toHaveLength(1);
  });

  it('lists each row once to each API key, whatever the others read in the meantime', async () => {
    const own = await dub.partners.create({ name: 'Read', email: `${unique('read')}@example.com` });
    const make = async () => (await dub.links.create({ url: SHOP, partnerId: own.id })).id;
    const made: string[] = [];
    for (let n = 0; n < 4; n += 1) made.unshift(await make());
    const { key } = (await app.call('POST', '/api/api-keys', { body: { name: 'Second reader' } })).body;
    const pageOf = async (page: number, options: { key?: string } = {}) =>
      (await app.call('GET', `/compat/dub/links?partnerId=${own.id}&pageSize=2&page=${page}`, options)).body.map(
        ({ id }: { id: string }) => id,
      );
    const seen = await pageOf(1);
    const late = await make();
    const theirs = [...(await pageOf(1, { key })), ...(await pageOf(2, { key }))];
    expect(theirs).toEqual([late, ...made.slice(0, 3)]);
    seen.push(...(await pageOf(2)));
    expect(seen).toEqual(made);
    expect(await pageOf(3, { key })).toEqual(made.slice(3));
  });

  it('creates a partner once, however often it is called', async () => {
    const email = `${unique('twice')}@example.com`;
    const first = await dub.partners.create({ email });
    expect(first).toMatchObject({ name: email.split('@')[0], partnerId: first.id, tenantId: null, links: [] });
    expect(first).toMatchObject({ programId: app.programId, status: 'approved', networkStatus: 'approved' });
    const tenantId = unique('tenant');
    const again = await dub.partners.create({ email: email.toUpperCase(), name: 'Tom', tenantId });
    expect(again).toMatchObject({ id: first.id, name: 'Tom', tenantId });
    const link = await dub.partners.createLink({ partnerId: first.id, url: SHOP, key: unique('tom') });
    expect(link).toMatchObject({ partnerId: first.id, tenantId, url: SHOP });
    const shown = { id: link.id, key: link.key, shortLink: link.shortLink, clicks: 0, sales: 0 };
    expect(await dub.partners.list({ email })).toMatchObject([{ id: first.id, links: [shown] }]);
    expect(await dub.partners.retrieveLinks({ tenantId })).toMatchObject([shown]);
    expect(await dub.partners.list({ email, status: 'banned' })).toEqual([]);
  });

  it('never gives a partner with a tenant id to another tenant, because of its address', async () => {
    const [email, tenantId] = [`${unique('bound')}@example.com`, unique('tenant')];
    const { id } = await dub.partners.create({ email, name: 'Bo', tenantId });
    const body = { email, name: 'Eve', tenantId: unique('tenant') };
    const refused = await app.call('POST', '/compat/dub/partners', { body });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect((await app.call('GET', `/api/partners/${id}`)).body).toMatchObject({ name: 'Bo', tenantId });
    expect(await dub.partners.create({ email, name: 'Bob', tenantId })).toMatchObject({ id, name: 'Bob', tenantId });
  });

  it('iterates over customers and commissions, each once, also from a later page', async () => {
    const referrer = await createReferrer(app);
    const externalId = unique('user');
    const customerEmail = `${unique('many')}@example.com`;
    for (const user of [unique('user'), unique('user'), unique('user'), unique('user'), externalId]) {
      await referrer.lead(user, { customerEmail });
      await dub.track.sale({ customerExternalId: user, amount: 5000, invoiceId: unique('in') });
    }
    const sizesOf = async (pages: Promise<AsyncIterable<{ result: unknown[] }>>) => {
      const sizes: number[] = [];
      for await (const { result } of await pages) sizes.push(result.length);
      return sizes;
    };
    const { partnerId } = referrer;
    const later = { page: 2, pageSize: 1 };
    expect(await sizesOf(dub.customers.list({ externalId }))).toEqual([1, 0]);
    expect((await dub.customers.list({ externalId, page: 2 })).result).toEqual([]);
    expect(await sizesOf(dub.customers.list({ email: customerEmail, ...later }))).toEqual([1, 1, 1, 1, 0]);
    expect(await sizesOf(dub.commissions.list({ partnerId, ...later }))).toEqual([1, 1, 1, 1, 0]);
  });

  it('lists customers, commissions and payouts', async () => {
    const referrer = await createReferrer(app);
    const externalId = unique('user');
    const customerEmail = `${externalId}@example.com`;
    await referrer.lead(externalId, { customerName: 'Mara', customerEmail });
    const invoiceId = unique('in');
    await dub.track.sale({ customerExternalId: externalId, amount: 5000, invoiceId, metadata: { plan: 'pro' } });

    const { result: customers } = await dub.customers.list({ externalId, includeExpandedFields: true });
    const link = { id: referrer.linkId, programId: app.programId };
    expect(customers).toMatchObject([{ externalId, name: 'Mara', link, partner: { id: referrer.partnerId } }]);
    const [customer] = customers;
    const { link: _link, partner: _partner, ...plain } = customer ?? {};
    expect(await dub.customers.get({ id: customer?.id ?? '' })).toEqual(plain);
    expect(await dub.customers.get({ id: `ext_${externalId}` })).toEqual(plain);
    expect((await dub.customers.list({ email: customerEmail })).result).toEqual([plain]);
    expect((await dub.customers.list({ externalId: 'nobody' })).result).toEqual([]);

    const expected = {
      type: 'sale',
      amount: 5000,
      earnings: 1000,
      currency: 'usd',
      status: 'pending',
      invoiceId,
      metadata: { plan: 'pro' },
      partner: { id: referrer.partnerId, email: expect.stringContaining('@') },
      customer: plain,
    };
    for (const filter of [{ invoiceId }, { customerId: customer?.id ?? '' }, { partnerId: referrer.partnerId }]) {
      expect((await dub.commissions.list({ ...filter, status: 'pending' })).result).toMatchObject([expected]);
      expect((await dub.commissions.list({ ...filter, status: 'paid' })).result).toEqual([]);
      expect((await dub.commissions.list({ ...filter, type: 'click' })).result).toEqual([]);
    }
    const payouts = await dub.payouts.list({ partnerId: referrer.partnerId });
    expect(payouts).toMatchObject([{ status: 'pending', amount: 1000, currency: 'usd', partner: expected.partner }]);
    expect(await dub.payouts.list({ partnerId: referrer.partnerId, status: 'completed' })).toEqual([]);
  });
});
