import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import stripe from '../../../adapters/stripe/index.ts';
import { type Client, createClient } from '../../../src/client/index.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { engines } from '../../helpers/databases.ts';
import type { LocalServer } from '../../helpers/serve-fetch.ts';
import { clicksOf, createLink, type TestLink } from './links.ts';
import { createShop } from './shop.ts';
import { newVisitor, type Visitor } from './visitor.ts';

const SECRET = 'whsec_example_of_the_whole_way';
const SESSION = new URL('../../../fixtures/stripe/checkout.session.completed--payment.json', import.meta.url);

describe.each(engines)('from the link to the sale, on %s', (engine) => {
  let app: TestApp;
  let browser: Browser;
  let client: Client;
  let visitor: Visitor;
  let shop: LocalServer;
  let link: TestLink;

  beforeAll(async () => {
    [app, browser] = await Promise.all([createTestApp(engine), sharedChromium()]);
    client = createClient({ baseUrl: app.url, apiKey: app.apiKey });
  });
  afterAll(async () => {
    await closePages(browser);
    await app.close();
  });
  beforeEach(async () => {
    visitor = await newVisitor(browser);
  });
  afterEach(async () => {
    expect(visitor.errors).toEqual([]);
    await visitor.leave();
    await shop.close();
  });

  async function openShop(key: string, options: { hasScript: boolean }): Promise<void> {
    shop = await createShop(app.url, client, options);
    link = await createLink(app, key, `${shop.url}/`);
  }

  async function signUp(user: string): Promise<string | null> {
    await visitor.page.fill('input[name=user]', user);
    await visitor.page.click('text=Sign up');
    return visitor.page.textContent('#lead');
  }

  it('a visitor follows a link, signs up, pays with Stripe, and the partner earns', async () => {
    await openShop('anna', { hasScript: true });
    const endpoint = await app.call('POST', '/api/webhook-endpoints', {
      body: { processor: 'stripe', secrets: [SECRET] },
    });

    await visitor.page.goto(link.shortLink);
    const clickId = await visitor.clickId();
    expect(clickId).toMatch(/^clk_/);
    expect(visitor.page.url()).toBe(`${shop.url}/`);
    expect(await signUp('user-ida')).toBe('recorded');

    const event = JSON.parse(await readFile(SESSION, 'utf8'));
    event.data.object.client_reference_id = null;
    event.data.object.metadata.svcCustomerExternalId = 'user-ida';
    const rawBody = Buffer.from(JSON.stringify(event));
    const secrets = { secrets: [SECRET], authorization: null, shopDomain: null };
    const delivered = await app.call('POST', `/webhooks/stripe/${endpoint.body.id}`, {
      key: null,
      body: rawBody,
      headers: stripe.sign(rawBody, secrets, Date.now()),
    });
    expect([delivered.status, delivered.body]).toEqual([200, { received: true, outcome: 'sale' }]);

    const { body } = await app.call('GET', '/api/sales?customerExternalId=user-ida');
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      partnerId: link.partnerId,
      linkId: link.id,
      clickId,
      paymentProcessor: 'stripe',
      currency: 'gbp',
      // 20 % of what was paid without tax and shipping
      amount: 8100,
      commissionAmount: 1620,
      attribution: { matchedBy: 'external_id' },
    });
    expect(await clicksOf(app, link)).toBe(1);
  });

  it('a shop without the script sets the cookie itself, and reports the sale itself', async () => {
    await openShop('bo', { hasScript: false });
    await visitor.page.goto(link.shortLink);
    const cookie = await visitor.cookie();
    expect(cookie).toMatchObject({
      value: expect.stringMatching(/^clk_/),
      domain: 'localhost',
      path: '/',
      sameSite: 'Lax',
    });
    expect((cookie?.expires ?? 0) - Date.now() / 1000).toBeCloseTo(90 * 86_400, -2);

    expect(await signUp('user-jon')).toBe('recorded');
    await visitor.page.click('text=Order');
    expect(await visitor.page.textContent('#sale')).toBe('recorded');

    const invoiceId = await visitor.page.textContent('#invoice');
    const { body } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
    expect(body.data).toMatchObject([{ partnerId: link.partnerId, clickId: cookie?.value, commissionAmount: 980 }]);
  });

  it('a visitor without a link signs up and orders as usual', async () => {
    await openShop('cleo', { hasScript: true });
    await visitor.page.goto(shop.url);
    expect(await signUp('user-kim')).toBe('skipped');
    await visitor.page.click('text=Order');
    expect(await visitor.page.textContent('#sale')).toBe('parked');
    expect((await app.call('GET', '/api/leads?customerExternalId=user-kim')).body.data).toEqual([]);
  });

  it('the client’s answers match the service’s', async () => {
    await openShop('dora', { hasScript: true });
    await visitor.page.goto(link.shortLink);
    const clickId = await visitor.clickId();
    const person = { clickId, customerExternalId: 'user-lea', customerEmail: 'lea@example.com' };

    const lead = await client.trackLead({ ...person, eventName: 'Sign up', metadata: { plan: 'pro' } });
    expect(lead).toMatchObject({ ok: true, answer: { click: { id: clickId }, link: { id: link.id, key: 'dora' } } });

    const order = { ...person, amount: 1999, currency: 'usd', invoiceId: 'order-of-lea' };
    expect(await client.trackSale(order)).toMatchObject({
      ok: true,
      invoiceId: 'order-of-lea',
      answer: { sale: { amount: 1999, commissionAmount: 400, status: 'pending', invoiceId: 'order-of-lea' } },
    });
    expect(await client.trackSale(order)).toMatchObject({ status: 'refused', error: { code: 'DUPLICATE_INVOICE' } });

    const made = await client.createEmbedToken({ enrollmentId: link.partnerId });
    expect(made).toMatchObject({ ok: true, token: { publicToken: expect.stringMatching(/^rb_embed_/) } });

    const unknown = { clickId: 'clk_made0up', customerExternalId: 'user-lea', eventName: 'Sign up' };
    expect(await client.trackLead(unknown)).toMatchObject({
      status: 'refused',
      error: { code: 'INVALID_CLICK_ID', status: 400 },
    });
  });
});
