import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

describe.each(engines)('the specification, line by line, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());

  const post = (path: string, body: object) =>
    request(app.url).post(path).set('Authorization', `Bearer ${app.apiKey}`).send(body);
  const lead = (body: object) => post('/api/track/lead', body);
  const sale = (body: object) => post('/api/track/sale', body);

  describe('1. the service', () => {
    it('attributes a processor sale to the click of the customer that the lead stored', async () => {
      const customer = unique('user');
      const clickId = await referrer.lead(customer);
      const stripe = await createEndpoint(app, 'stripe');
      const answer = await stripe.deliver(checkoutCompleted({ externalId: customer, amount: 5000 }));
      expect([answer.status, answer.body]).toEqual([200, { received: true, outcome: 'sale' }]);
      const { body } = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
      expect(body.data).toHaveLength(1);
      expect(body.data[0]).toMatchObject({
        clickId,
        partnerId: referrer.partnerId,
        amount: 5000,
        commissionAmount: 1000,
        status: 'pending',
        paymentProcessor: 'stripe',
        attribution: { matchedBy: 'external_id' },
      });
    });
  });

  describe('2. bodies', () => {
    it('2.1, 2.2: a lead with every field echoes event, click, link and customer, and nothing else', async () => {
      const clickId = await referrer.click();
      const answer = await lead({
        clickId,
        eventName: 'Sign up',
        customerExternalId: 'user_2_1',
        customerEmail: 'ada@example.com',
        customerName: 'Ada Example',
        customerAvatar: 'https://example.com/ada.png',
        metadata: { plan: 'pro', nested: { seats: 3 } },
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        eventName: 'Sign up',
        click: { id: clickId },
        link: {
          id: referrer.linkId,
          domain: new URL(app.url).host,
          key: expect.any(String),
          url: 'https://shop.example.com/start?plan=pro#top',
          programId: app.programId,
        },
        customer: { externalId: 'user_2_1', email: 'ada@example.com', name: 'Ada Example' },
      });
      const stored = await app.call('GET', '/api/leads?customerExternalId=user_2_1');
      expect(stored.body.data[0].metadata).toEqual({ plan: 'pro', nested: { seats: 3 } });
    });

    it('2.1: optional fields may be absent or null, and unknown ones are ignored', async () => {
      const clickId = await referrer.click();
      const answer = await lead({
        clickId,
        eventName: 'Sign up',
        customerExternalId: 'user_null',
        customerEmail: null,
        customerName: null,
        customerAvatar: null,
        metadata: null,
        somethingElse: { ignored: true },
      });
      expect(answer.status).toBe(200);
      expect(answer.body.customer).toEqual({ externalId: 'user_null', email: null, name: null });
    });

    it('2.3, 2.4: a sale with every field answers what was recorded, and nothing else', async () => {
      const clickId = await referrer.click();
      const answer = await sale({
        clickId,
        customerExternalId: 'user_2_3',
        amount: 4999,
        currency: 'EUR',
        eventName: 'Upgrade',
        invoiceId: 'INV-2-3',
        paymentProcessor: 'paddle',
        customerEmail: 'ben@example.com',
        customerName: 'Ben Example',
        customerAvatar: 'https://example.com/ben.png',
        metadata: { seats: 2 },
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        eventName: 'Upgrade',
        customer: { externalId: 'user_2_3', email: 'ben@example.com', name: 'Ben Example' },
        sale: {
          id: expect.stringMatching(/^sal_/),
          amount: 4999,
          currency: 'eur',
          commissionAmount: 1000,
          status: 'pending',
          invoiceId: 'INV-2-3',
          paymentProcessor: 'paddle',
        },
      });
    });

    it('2.3: currency, event name and processor have defaults; missing values are null', async () => {
      const clickId = await referrer.click();
      const answer = await sale({ clickId, customerExternalId: 'user_defaults', amount: 1000 });
      expect(answer.body).toEqual({
        eventName: 'Purchase',
        customer: { externalId: 'user_defaults', email: null, name: null },
        sale: {
          id: expect.any(String),
          amount: 1000,
          currency: 'usd',
          commissionAmount: 200,
          status: 'pending',
          invoiceId: null,
          paymentProcessor: 'custom',
        },
      });
    });

    it.each(['stripe', 'shopify', 'polar', 'paddle', 'revenuecat', 'custom'])(
      '2.3: %s is a processor',
      async (name) => {
        const clickId = await referrer.click();
        const answer = await sale({ clickId, customerExternalId: unique('user'), amount: 1, paymentProcessor: name });
        expect(answer.body.sale.paymentProcessor).toBe(name);
      },
    );

    it('2.5: the portal configuration has exactly the members of the specification', async () => {
      const token = await app.call('POST', '/api/embed/token', { body: { enrollmentId: referrer.partnerId } });
      expect(token.status).toBe(200);
      const answer = await app.call('GET', '/api/embed/referrals/portal-config', { key: token.body.publicToken });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body).sort()).toEqual([
        'allowedOrigins',
        'programDescription',
        'programName',
        'showBranding',
        'showEarnings',
        'showPayoutHistory',
        'showReferralLink',
        'showStats',
        'theme',
      ]);
      expect(Object.keys(answer.body.theme).sort()).toEqual([
        'description',
        'fontFamily',
        'logoUrl',
        'shadcnTheme',
        'title',
      ]);
      expect(Object.keys(answer.body.theme.shadcnTheme).sort()).toEqual(['dark', 'light']);
    });
  });

  describe('3. states', () => {
    it('an accepted sale is pending, its commission is in the ledger, a payout is queued', async () => {
      const other = await createReferrer(app);
      const clickId = await other.click();
      const { body } = await sale({ clickId, customerExternalId: unique('user'), amount: 7500 });
      const entries = await app.call('GET', `/api/ledger?saleId=${body.sale.id}`);
      expect(entries.body.data).toMatchObject([{ kind: 'commission', amount: 1500, currency: 'usd', payoutId: null }]);
      const payouts = await app.call('GET', `/api/payouts?partnerId=${other.partnerId}`);
      expect(payouts.body.data).toMatchObject([{ status: 'queued', amount: 1500, entryCount: 1, currency: 'usd' }]);
    });

    it('a repeated lead answers the same body and counts once; another event is another lead', async () => {
      const clickId = await referrer.click();
      const body = { clickId, eventName: 'Sign up', customerExternalId: unique('user'), customerName: 'Cleo Example' };
      const [first, second] = [await lead(body), await lead(body)];
      expect(second.body).toEqual(first.body);
      const later = await referrer.click();
      const other = await lead({ ...body, clickId: later, eventName: 'Trial' });
      expect(other.body.click.id).toBe(later);
      const stored = await app.call('GET', `/api/leads?customerExternalId=${body.customerExternalId}`);
      expect(stored.body.data.map((row: { eventName: string }) => row.eventName)).toEqual(['Trial', 'Sign up']);
      const customer = await app.call('GET', `/api/customers/${body.customerExternalId}`);
      expect(customer.body.clickId).toBe(clickId);
    });
  });

  describe('4. and 7. errors', () => {
    it('an unknown click is INVALID_CLICK_ID, and stores nothing', async () => {
      const customerExternalId = unique('user');
      const wrong = { clickId: 'clk_nobody', customerExternalId, amount: 100, invoiceId: unique('INV') };
      const refused = await sale(wrong);
      expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_CLICK_ID']);
      expect(refused.body.error.message).toContain('svc_id');
      expect((await lead({ clickId: 'clk_nobody', eventName: 'Sign up', customerExternalId })).body.error.code).toBe(
        'INVALID_CLICK_ID',
      );
      expect((await app.call('GET', `/api/customers/${customerExternalId}`)).status).toBe(404);
      const right = await sale({ ...wrong, clickId: await referrer.click() });
      expect(right.status).toBe(200);
    });

    it("another account's click looks the same as a made-up one", async () => {
      const other = await app.addAccount('Other Ltd');
      const clickId = await referrer.click();
      const body = { clickId, customerExternalId: 'user', amount: 100 };
      const answer = await app.call('POST', '/api/track/sale', { body, key: other.apiKey });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_CLICK_ID']);
    });

    it('missing and malformed fields are VALIDATION_ERROR, all at once, before the click is looked up', async () => {
      const answer = await sale({ amount: 1.5, currency: 'zzz', paymentProcessor: 'cash', metadata: [1] });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
      const paths = answer.body.error.details.map((problem: { path: string }) => problem.path).sort();
      expect(paths).toEqual(['amount', 'clickId', 'currency', 'customerExternalId', 'metadata', 'paymentProcessor']);
      for (const path of paths) expect(answer.body.error.message).toContain(path);
    });

    it.each([
      ['an amount below zero', { amount: -1 }],
      ['a fraction of a cent', { amount: 10.5 }],
      ['an amount as text', { amount: '1000' }],
      ['an amount past 10^12', { amount: 1_000_000_000_001 }],
      ['an empty customer', { customerExternalId: '   ' }],
      ['a customer of 256 characters', { customerExternalId: 'x'.repeat(256) }],
      ['a number for a click', { clickId: 5 }],
      ['a number for an e-mail', { customerEmail: 5 }],
      ['an object for a name', { customerName: {} }],
      ['a list for an avatar', { customerAvatar: ['https://example.com/ada.png'] }],
      ['a forbidden metadata key', { metadata: JSON.parse('{"__proto__":{"a":1}}') }],
      ['metadata six levels deep', { metadata: { a: { b: { c: { d: { e: { f: 1 } } } } } } }],
    ])('%s is a VALIDATION_ERROR', async (_, wrong) => {
      const answer = await sale({ clickId: await referrer.click(), customerExternalId: 'u', amount: 1, ...wrong });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    });

    it('a repeated invoice is 409 DUPLICATE_INVOICE, whatever else differs', async () => {
      const invoiceId = unique('INV');
      const body = { clickId: await referrer.click(), customerExternalId: unique('user'), amount: 900, invoiceId };
      expect((await sale(body)).status).toBe(200);
      const again = await sale({ ...body, customerExternalId: unique('user'), amount: 1, paymentProcessor: 'polar' });
      expect([again.status, again.body.error.code]).toEqual([409, 'DUPLICATE_INVOICE']);
      expect((await app.call('GET', `/api/sales?invoiceId=${invoiceId}`)).body.data).toHaveLength(1);
    });

    it('two sales without an invoice are two sales', async () => {
      const body = { clickId: await referrer.click(), customerExternalId: unique('user'), amount: 900 };
      const [first, second] = [await sale(body), await sale(body)];
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.body.sale.id).not.toBe(first.body.sale.id);
    });

    it('authentication is checked first, then JSON, then the input, then the click, then the invoice', async () => {
      const invoiceId = unique('INV');
      const clickId = await referrer.click();
      await sale({ clickId, customerExternalId: 'u', amount: 1, invoiceId });
      const send = (body: unknown, key?: null) =>
        app.call('POST', '/api/track/sale', key === null ? { body, key } : { body });
      const codes = [
        await send('{broken', null),
        await send('{broken'),
        await send({ clickId: 'clk_nobody', amount: -1, invoiceId }),
        await send({ clickId: 'clk_nobody', customerExternalId: 'u', amount: 1, invoiceId }),
        await send({ clickId, customerExternalId: 'u', amount: 1, invoiceId }),
      ].map((answer) => [answer.status, answer.body.error.code]);
      expect(codes).toEqual([
        [401, 'UNAUTHORIZED'],
        [400, 'VALIDATION_ERROR'],
        [400, 'VALIDATION_ERROR'],
        [400, 'INVALID_CLICK_ID'],
        [409, 'DUPLICATE_INVOICE'],
      ]);
    });
  });

  describe('5. authentication', () => {
    it.each(['/api/track/lead', '/api/track/sale'])(
      '%s without a key is 401 in the words of the specification',
      async (path) => {
        const answer = await app.call('POST', path, { key: null, body: {} });
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual({ error: { code: 'UNAUTHORIZED', message: 'Invalid or missing API key' } });
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      },
    );

    it('an API key is not an embed token, and an embed token is not an API key', async () => {
      const token = await app.call('POST', '/api/embed/token', { body: { enrollmentId: referrer.partnerId } });
      const asKey = await app.call('POST', '/api/track/lead', { key: token.body.publicToken, body: {} });
      expect(asKey.status).toBe(401);
      const asToken = await app.call('GET', '/api/embed/referrals/portal-config');
      expect([asToken.status, asToken.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    });
  });

  describe('8. limits', () => {
    it('are per key: above the limit it gets 429 with the time to wait, the other key is unaffected', async () => {
      const { body: key } = await app.call('POST', '/api/api-keys', { body: { name: 'slow', rateLimitPerMinute: 2 } });
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await app.call('GET', '/api/leads', { key: key.key })).status);
      expect(statuses).toEqual([200, 200, 429]);
      const refused = await app.call('GET', '/api/leads', { key: key.key });
      expect(refused.body.error.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('ratelimit')).toBeTruthy();
      expect(refused.headers.get('ratelimit-policy')).toBeTruthy();
      expect((await app.call('GET', '/api/leads')).status).toBe(200);
    });
  });
});
