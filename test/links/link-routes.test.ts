import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordClick } from '../../src/links/click.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { asId } from '../helpers/ids.ts';

const URL_GIVEN = 'https://shop.example.com/landing?x=1#top';

describe.each(engines)('links on %s', (engine) => {
  let app: TestApp;
  let partnerId: string;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { baseUrl: 'http://refer.example.com:3000' } });
    partnerId = await createPartner(app.apiKey, 'ada@example.com');
  });
  afterAll(() => app.close());

  const createPartner = async (key: string, email: string, programId?: string): Promise<string> => {
    const body = { name: 'Ada', email, ...(programId ? { programId } : {}) };
    return (await app.call('POST', '/api/partners', { body, key })).body.id;
  };
  const post = (body: object, key = app.apiKey) =>
    app.call('POST', '/api/links', { body: { partnerId, url: URL_GIVEN, ...body }, key });
  const patch = (id: string, body: object, key = app.apiKey) => app.call('PATCH', `/api/links/${id}`, { body, key });

  it('a link with only partner and destination is on our host, with a generated key', async () => {
    const { status, body } = await post({});
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^lnk_[0-9a-f]{32}$/),
      programId: app.programId,
      partnerId,
      partnerName: 'Ada',
      domain: 'refer.example.com:3000',
      key: expect.stringMatching(/^[0-9A-Za-z]{6,8}$/),
      url: URL_GIVEN,
      commission: null,
      shortLink: `http://refer.example.com:3000/${body.key}`,
      clicks: 0,
      leads: 0,
      sales: 0,
      revenue: {},
      earnedCommission: {},
      createdAt: expect.stringMatching(/Z$/),
      archivedAt: null,
    });
    expect((await app.call('GET', `/api/links/${body.id}`)).body).toEqual(body);
  });

  it('its own domain is compared in lower case and shared as https', async () => {
    const commission = { type: 'percentage', rateBasisPoints: 500 };
    const { body } = await post({ domain: 'Go.Example.COM:443', key: 'Ada', commission });
    expect(body).toMatchObject({
      domain: 'go.example.com',
      key: 'Ada',
      shortLink: 'https://go.example.com/Ada',
      commission,
    });
  });

  it('a key is unique on its domain, across accounts', async () => {
    await post({ key: 'taken' });
    const other = await app.addAccount('Other Ltd');
    const theirs = await createPartner(other.apiKey, 'bob@example.com');
    for (const answer of [
      await post({ key: 'taken' }),
      await post({ key: 'taken', partnerId: theirs }, other.apiKey),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
      expect(answer.body.error.message).toMatch(/^key: /);
    }
    expect((await post({ key: 'Taken' })).status).toBe(201);
    expect((await post({ key: 'taken', domain: 'go.example.com' })).status).toBe(201);
  });

  it('when 20 links take the same key at once, one succeeds', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => post({})));
    const answers = await Promise.all([
      ...made.map(({ body }) => patch(body.id, { key: 'raced' })),
      ...Array.from({ length: 10 }, () => post({ key: 'raced' })),
    ]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
  });

  it.each([
    'api',
    'API',
    'webhooks',
    'health',
    'metrics',
    'script.js',
    'embed',
    'portal',
    'dashboard',
    'favicon.ico',
    'robots.txt',
  ])('the key %s is reserved for the service itself', async (key) => {
    const answer = await post({ key });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(/^key: is reserved/);
  });

  it.each([
    [{ key: 'a/b' }, 'key: must start with a letter or digit'],
    [{ key: '.env' }, 'key: must start with a letter or digit'],
    [{ key: 'a b' }, 'key: must start with a letter or digit'],
    [{ key: 'x'.repeat(101) }, 'key: must have at most 100 characters'],
    [{ domain: 'https://x.example.com' }, 'domain: must be a host'],
    [{ url: 'javascript:alert(1)' }, 'url: must be an absolute http or https URL'],
    [{ url: '/relative' }, 'url: must be an absolute http or https URL'],
    [{ url: null }, 'url: must be a string'],
    [{ partnerId: undefined }, 'partnerId: is required'],
    [{ commission: { type: 'percentage', rateBasisPoints: 20_000 } }, 'commission.rateBasisPoints: '],
  ])('%j is refused', async (body, problem) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.body.error.message).toContain(problem);
  });

  it('a link to itself is refused, because its visitors would be redirected for ever', async () => {
    const own = 'http://refer.example.com:3000';
    const refused = { status: 400, body: { error: { message: expect.stringMatching(/^url: must not be the link/) } } };
    for (const [body, url] of [
      [{ key: 'loop' }, `${own}/loop`],
      [{ key: 'loop' }, `${own}/l%6Fop/?a=b#c`],
      [{ key: 'loop', domain: 'go.example.com' }, 'http://GO.example.com:80/loop'],
    ] as const) {
      expect(await post({ ...body, url }), url).toMatchObject(refused);
    }
    for (const url of [`${own}/`, `${own}/LOOP`, `${own}/loop/x`, `${own}/%`, 'https://refer.example.com/loop']) {
      const { status, body } = await post({ key: 'loop', url });
      expect([status, url]).toEqual([201, url]);
      expect((await app.call('DELETE', `/api/links/${body.id}`)).status).toBe(204);
    }
    const { body: link } = await post({ key: 'no-loop', url: `${own}/loop` });
    expect(await patch(link.id, { url: `${own}/no-loop` })).toMatchObject(refused);
    expect(await patch(link.id, { key: 'loop' })).toMatchObject(refused);
    expect((await app.call('GET', `/api/links/${link.id}`)).body).toEqual(link);
  });

  it('a link to itself from an earlier version can still be changed', async () => {
    const { body: link } = await post({ key: 'old-loop' });
    const url = 'http://refer.example.com:3000/old-loop';
    await app.service.database.write((tx) =>
      tx.run('UPDATE links SET url = @url WHERE id = @id', { url, id: link.id }),
    );
    const commission = { type: 'percentage', rateBasisPoints: 1 };
    expect((await patch(link.id, { commission })).body).toMatchObject({ url, commission });
    expect((await patch(link.id, { url: URL_GIVEN })).body).toMatchObject({ url: URL_GIVEN, commission });
  });

  it('a change keeps members that it does not name', async () => {
    const commission = { type: 'flat', amounts: { usd: 100 } };
    const { body: link } = await post({ key: 'before', commission });
    const moved = await patch(link.id, { url: 'https://shop.example.com/new', key: 'after' });
    expect(moved).toMatchObject({
      status: 200,
      body: {
        ...link,
        url: 'https://shop.example.com/new',
        key: 'after',
        shortLink: 'http://refer.example.com:3000/after',
      },
    });
    expect((await patch(link.id, { commission: null, key: null, domain: null })).body).toEqual({
      ...moved.body,
      commission: null,
    });
    expect((await post({ key: 'before' })).status).toBe(201);
    expect((await patch(link.id, { key: 'before' })).status).toBe(409);
  });

  it('a link may move to another partner of its program, but not to another program', async () => {
    const { apiKey: key, programId } = await app.addAccount('Two Programs Ltd');
    const first = await createPartner(key, 'first@example.com');
    const second = await createPartner(key, 'second@example.com');
    const elsewhere = (await app.call('POST', '/api/programs', { body: { name: 'Elsewhere' }, key })).body.id;
    const stranger = await createPartner(key, 'first@example.com', elsewhere);
    const { body: link } = await post({ partnerId: first }, key);
    expect((await patch(link.id, { partnerId: second }, key)).body).toMatchObject({ partnerId: second, programId });
    expect((await patch(link.id, { partnerId: stranger }, key)).body.error.message).toMatch(/^programId: must be/);
    const both = await patch(link.id, { partnerId: stranger, programId: elsewhere }, key);
    expect(both.body.error.message).toMatch(/^programId: cannot be changed/);
    expect((await post({ partnerId: first, programId: elsewhere }, key)).status).toBe(400);
    expect((await post({ partnerId: stranger }, key)).body.programId).toBe(elsewhere);
  });

  it('its clicks, leads and sales are counted, and no others', async () => {
    const [counted, other] = [(await post({})).body, (await post({})).body];
    const click = (id: string) => {
      const link = { id: asId<'lnk'>(id), accountId: app.accountId, programId: app.programId };
      const nobody = { referrerHost: null, device: null, country: null, visitorHash: null };
      return recordClick(app.service, { ...link, partnerId: asId<'ptr'>(partnerId) }, nobody);
    };
    await click(other.id);
    const clickIds = [await click(counted.id), await click(counted.id), await click(counted.id)];
    for (const eventName of ['Sign up', 'Trial', 'Trial']) {
      const lead = { clickId: clickIds[0], eventName, customerExternalId: 'user_1' };
      expect((await app.call('POST', '/api/track/lead', { body: lead })).status).toBe(200);
    }
    const { body } = await app.call('GET', `/api/links/${counted.id}`);
    expect(body).toMatchObject({ clicks: 3, leads: 2, sales: 0 });
    expect((await patch(counted.id, { key: 'counted' })).body).toMatchObject({ clicks: 3, leads: 2, sales: 0 });
    const { data } = (await app.call('GET', '/api/links?limit=2')).body;
    expect(data).toMatchObject([
      { id: other.id, clicks: 1, leads: 0, sales: 0 },
      { id: counted.id, clicks: 3, leads: 2 },
    ]);
  });

  it('another account cannot see or change it, nor link to its partners', async () => {
    const { apiKey: key } = await app.addAccount('Stranger Ltd');
    const { body: link } = await post({});
    expect((await app.call('GET', `/api/links/${link.id}`, { key })).status).toBe(404);
    expect((await patch(link.id, { url: 'https://evil.example.com' }, key)).status).toBe(404);
    expect((await app.call('GET', '/api/links', { key })).body.data).toEqual([]);
    expect((await post({}, key)).body.error.code).toBe('NOT_FOUND');
    expect((await app.call('GET', `/api/links/${link.id}`)).body).toEqual(link);
  });
});
