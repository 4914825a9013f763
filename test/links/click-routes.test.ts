import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { VISITOR } from '../helpers/story.ts';
import { clicksOf, createLink, type TestLink } from '../helpers/visitors.ts';

// the database timeout does not matter here, but a busy machine may exceed it
vi.mock('../../src/links/timeout.ts', () => ({ DATABASE_TIMEOUT_MS: 60_000 }));

describe.each(engines)('POST /api/track/click on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
  });
  afterAll(() => app.close());

  const track = (link: Partial<TestLink>, body: object = {}, headers: Record<string, string> = {}) =>
    app.call('POST', '/api/track/click', {
      key: null,
      body: { domain: new URL(app.url).host, key: link.key, ...body },
      headers: { 'user-agent': VISITOR, ...headers },
    });

  it('records the visit that a page reports, from any origin', async () => {
    const link = await createLink(app);
    const told = { url: 'https://shop.example.com/lamps', referrer: 'https://blog.example.com/best' };
    const answer = await track(link, told, { origin: 'https://shop.example.com', 'cf-ipcountry': 'AT' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await clicksOf(app, link)).toMatchObject([
      {
        id: answer.body.clickId,
        referrerHost: 'blog.example.com',
        device: 'desktop',
        country: 'AT',
        visitorHash: expect.stringMatching(/^[\w-]{16}$/),
      },
    ]);
  });

  it('records a visit of a page whose URL is as long as servers accept them', async () => {
    const link = await createLink(app);
    const url = `https://shop.example.com/?gclid=${'x'.repeat(15_000)}`;
    expect((await track(link, { url, referrer: url })).status).toBe(200);
    expect(await clicksOf(app, link)).toMatchObject([{ referrerHost: 'shop.example.com' }]);
  });

  it.each([
    ['a bot', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }],
    ['a page rendered ahead', { 'sec-purpose': 'prefetch;prerender' }],
  ])('records no click for %s', async (_who, headers) => {
    const link = await createLink(app);
    const answer = await track(link, {}, headers);
    const partner = { id: link.partnerId, name: 'Paula Partner', image: null };
    expect([answer.status, answer.body]).toEqual([200, { clickId: null, key: link.key, partner, discountCode: null }]);
    expect(await clicksOf(app, link)).toEqual([]);
  });

  it.each([
    ['malformed JSON', '{"domain":', 400, 'VALIDATION_ERROR'],
    ['a body without a key', { domain: 'refer.example.com' }, 400, 'VALIDATION_ERROR'],
    ['a link that is none', { domain: 'refer.example.com', key: 'no-such-link' }, 404, 'NOT_FOUND'],
    ['a key that cannot be one', { domain: 'refer.example.com', key: '../x' }, 404, 'NOT_FOUND'],
    ['too large a body', { domain: 'x', key: 'y'.repeat(70_000) }, 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuses %s with an answer that the page can read', async (_what, body, status, code) => {
    const answer = await app.call('POST', '/api/track/click', { key: null, body });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it("finds the link by the program's own parameters, and records who sent the visitor", async () => {
    const moved = await app.addAccount('Moved');
    const as = (method: string, path: string, body: object) => app.call(method, path, { body, key: moved.apiKey });
    await as('PATCH', `/api/programs/${moved.programId}`, { viaParameters: ['ref', 'fpr'] });
    const fay = { name: 'Fay', email: 'fay@example.com', discountCodes: ['FAY20', 'fay10'] };
    const partner = await as('POST', '/api/partners', fay);
    const domain = 'go.fay.example.com';
    const link = await as('POST', '/api/links', {
      partnerId: partner.body.id,
      domain,
      url: 'https://shop.example.com/',
    });
    const { key } = link.body;
    const tell = (parameters: object) => track({}, { domain, parameters });

    const found = await tell({ utm_source: key, session: 'x y', fpr: key });
    expect(found).toMatchObject({
      status: 200,
      body: { key, partner: { id: partner.body.id, name: 'Fay', image: null }, discountCode: 'fay10' },
    });
    expect(await clicksOf(app, link.body)).toMatchObject([{ id: found.body.clickId }]);
    expect((await tell({ via: key, utm_source: key })).status).toBe(404);
    expect((await tell({})).status).toBe(404);
    expect((await tell(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`p${n}`, key])))).status).toBe(400);
    expect(await clicksOf(app, link.body)).toHaveLength(1);
  });

  it('answers a preflight', async () => {
    const headers = { origin: 'https://shop.example.com', 'access-control-request-method': 'POST' };
    const answer = await app.call('OPTIONS', '/api/track/click', { key: null, headers });
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type',
    });
  });

  it('counts each address separately, and IPv6 by the network of one customer', async () => {
    const link = await createLink(app);
    const from = (address: string) => track(link, {}, { 'x-forwarded-for': address });
    const answers = await Promise.all(Array.from({ length: 130 }, () => from('203.0.113.7')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    for (const { headers, body } of refused) {
      expect(body.error.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(body.error.message).toMatch(/^More than 120 requests a minute with clicks from this address; retry in /);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await from('203.0.113.8')).status).toBe(200);
    await Promise.all(Array.from({ length: 120 }, (_, n) => from(`2001:db8:0:1::${n.toString(16)}`)));
    expect((await from('2001:db8:0:1:ffff::1')).status).toBe(429);
    expect((await from('2001:db8:0:2::1')).status).toBe(200);
  });

  describe('with tracked hosts', () => {
    let link: TestLink;
    beforeAll(async () => {
      const { body: program } = await app.call('POST', '/api/programs', {
        body: { name: 'Tracked', trackedHosts: ['shop.example.com', 'localhost:3000'] },
      });
      const partner = { name: 'Tara', email: 'tara@example.com', programId: program.id };
      const { body } = await app.call('POST', '/api/partners', { body: partner });
      const domain = new URL(app.url).host;
      const url = 'https://shop.example.com/';
      link = (await app.call('POST', '/api/links', { body: { partnerId: body.id, domain, url } })).body;
    });

    it.each([
      [{}, { origin: 'https://shop.example.com' }],
      [{}, { origin: 'http://localhost:3000' }],
      [{}, { origin: 'https://shop.example.com.' }],
      [{ url: 'https://shop.example.com/a?b' }, {}],
      [{ url: 'https://other.example.com/' }, { origin: 'https://shop.example.com' }],
    ])('a page with %j and %j may report a click', async (body, headers) => {
      const answer = await track(link, body, headers as Record<string, string>);
      expect([answer.status, answer.body.clickId]).toEqual([200, expect.stringMatching(/^clk_/)]);
    });

    it.each([
      [{}, { origin: 'https://evil.example.com' }],
      [{ url: 'https://shop.example.com/' }, { origin: 'https://evil.example.com' }],
      [{ url: 'https://shop.example.com/' }, { origin: 'null' }],
      [{ url: 'https://shop.example.com.evil.example.com/' }, {}],
      [{ url: 'not a url' }, {}],
      [{}, {}],
    ])('a page with %j and %j may not', async (body, headers) => {
      const before = (await clicksOf(app, link)).length;
      const answer = await track(link, body, headers as Record<string, string>);
      expect([answer.status, answer.body.error.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
      expect(await clicksOf(app, link)).toHaveLength(before);
    });

    it('applies a change of the program at once', async () => {
      const path = `/api/programs/${(await app.call('GET', `/api/links/${link.id}`)).body.programId}`;
      await app.call('PATCH', path, { body: { trackedHosts: ['new.example.com'] } });
      expect((await track(link, {}, { origin: 'https://shop.example.com' })).status).toBe(403);
      expect((await track(link, {}, { origin: 'https://new.example.com' })).status).toBe(200);
    });
  });
});
