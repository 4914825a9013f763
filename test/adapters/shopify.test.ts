import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import shopify from '../../adapters/shopify/index.ts';
import { bodyOf, bytes, ENDPOINT, fixture, interpreted, NOW, paymentIn, SETTINGS } from './shopify-bodies.ts';

function refusal(headers: Record<string, string | undefined>, endpoint = ENDPOINT, rawBody = fixture('orders_paid')) {
  return shopify.verify({ rawBody, headers }, endpoint, NOW).then(
    () => 'accepted',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );
}

describe('a Shopify delivery is recognized', () => {
  const signed = shopify.sign(fixture('orders_paid'), ENDPOINT, NOW, 'orders/paid');

  it('when the secret of the endpoint signed it', async () => {
    expect(await refusal(signed)).toBe('accepted');
  });

  it('by the old and by the new secret during a rotation', async () => {
    expect(await refusal(signed, { ...ENDPOINT, secrets: ['shpss_newer', 'shpss_fern'] })).toBe('accepted');
    expect(await refusal(signed, { ...ENDPOINT, secrets: ['shpss_fern', 'shpss_newer'] })).toBe('accepted');
  });

  it('with the shop domain in any case, and from any shop when the endpoint names none', async () => {
    expect(await refusal({ ...signed, 'x-shopify-shop-domain': 'Fern-And-Oak.myshopify.com' })).toBe('accepted');
    const anyShop = { ...ENDPOINT, shopDomain: null };
    expect(await refusal({ ...signed, 'x-shopify-shop-domain': 'other.myshopify.com' }, anyShop)).toBe('accepted');
  });
});

describe('a Shopify delivery is refused', () => {
  const signed = shopify.sign(fixture('orders_paid'), ENDPOINT, NOW, 'orders/paid');

  it.each([
    ['that another secret signed', signed, { ...ENDPOINT, secrets: ['shpss_other'] }, /No secret matched X-Shopify/],
    ['while the endpoint has no secret', signed, { ...ENDPOINT, secrets: [] }, /no signing secret yet/],
    ['of another shop', signed, { ...ENDPOINT, shopDomain: 'moss.myshopify.com' }, /another shop than moss\.myshop/],
    ['without a signature', { ...signed, 'x-shopify-hmac-sha256': undefined }, ENDPOINT, /Hmac-Sha256 is missing/],
    ['without a topic', { ...signed, 'x-shopify-topic': undefined }, ENDPOINT, /missing: X-Shopify-Topic/],
  ])('%s', async (_case, headers, endpoint, message) => {
    const answer = await refusal(headers, endpoint);
    expect(answer).toMatch(/^INVALID_SIGNATURE: /);
    expect(answer).toMatch(message);
    expect(answer).not.toContain('shpss_');
    expect(answer).not.toContain(signed['x-shopify-hmac-sha256']);
  });

  it('when a byte of its body changed, or the body is empty', async () => {
    const tampered = Buffer.from(fixture('orders_paid').toString('utf8').replace('112.17', '912.17'));
    expect(await refusal(signed, ENDPOINT, tampered)).toMatch(/No secret matched/);
    expect(await refusal(signed, ENDPOINT, Buffer.alloc(0))).toMatch(/body is empty/);
  });

  it('when its body is not UTF-8, or begins with a byte order mark that was not signed', async () => {
    const written = bytes({ ...bodyOf('orders_paid'), note: 'caf\uFFFD' });
    const headers = shopify.sign(written, ENDPOINT, NOW, 'orders/paid');
    expect(await refusal(headers, ENDPOINT, written)).toBe('accepted');
    const at = written.indexOf('\uFFFD');
    const broken = Buffer.concat([written.subarray(0, at), Buffer.from([0x80]), written.subarray(at + 3)]);
    expect(await refusal(headers, ENDPOINT, broken)).toMatch(/^INVALID_SIGNATURE: The body is not UTF-8/);
    const marked = Buffer.concat([Buffer.from('\uFEFF'), written]);
    expect(await refusal(headers, ENDPOINT, marked)).toMatch(/No secret matched/);
  });
});

describe('a Shopify delivery is identified', () => {
  const rawBody = fixture('orders_paid');
  const headers = { 'x-shopify-topic': 'orders/paid', 'x-shopify-event-id': 'e-1', 'x-shopify-webhook-id': 'w-1' };

  const digest = createHash('sha256').update(rawBody).digest('hex');
  const keyOf = (topic: string, body = rawBody) =>
    shopify.read({ rawBody: body, headers: { ...headers, 'x-shopify-topic': topic } }).deliveryKey;

  it('by topic and body, whatever ids its unsigned headers have', () => {
    expect(shopify.read({ rawBody, headers }).deliveryKey).toBe(`orders/paid:${digest}`);
    for (const ids of [
      { 'x-shopify-webhook-id': 'w-2' },
      { 'x-shopify-event-id': 'e-2' },
      { 'x-shopify-test': 'true' },
    ]) {
      expect(shopify.read({ rawBody, headers: { ...headers, ...ids } }).deliveryKey).toBe(`orders/paid:${digest}`);
    }
  });

  it('separately from another topic, and from another body of the same event', () => {
    expect(keyOf('orders/create')).toBe(`orders/create:${digest}`);
    const another = Buffer.from(rawBody.toString('utf8').replaceAll('6184520093761', '6184520093999'));
    expect(keyOf('orders/paid', another)).not.toBe(keyOf('orders/paid'));
  });

  it('as a single one for all topics that are not read, because anybody could invent any number of them', () => {
    const invented = Array.from({ length: 500 }, (_, number) => `planets/aligned_${number}`);
    expect(new Set(invented.map((topic) => keyOf(topic)))).toEqual(new Set([`other:${digest}`]));
    expect(keyOf('checkouts/one')).toBe(keyOf('checkouts/two'));
  });

  it.each(['', 'null', '[]', '"text"', '{"id":', '\uFEFF{}', '['.repeat(30_000)])('not at all as %.10j', (text) => {
    const delivery = shopify.read({ rawBody: Buffer.from(text), headers });
    expect(delivery).toEqual({ deliveryKey: null, eventType: null, payload: null });
    expect(shopify.interpret(delivery, headers, SETTINGS).kind).toBe('unknown');
  });

  it('identically when it is signed twice: its ids derive from the body', () => {
    const [first, second] = [NOW, NOW + 60_000].map((now) => shopify.sign(rawBody, ENDPOINT, now));
    expect(second?.['x-shopify-event-id']).toBe(first?.['x-shopify-event-id']);
    expect(first?.['x-shopify-event-id']).not.toBe(first?.['x-shopify-webhook-id']);
    expect(() => shopify.sign(rawBody, { ...ENDPOINT, secrets: [] }, NOW)).toThrow(/takes a secret/);
  });
});

describe('signing without a topic finds the topic of the body', () => {
  it.each([
    ['orders_paid', 'orders/paid'],
    ['orders_create', 'orders/create'],
    ['orders_cancelled', 'orders/cancelled'],
    ['orders_updated--pending-refund-ended', 'orders/updated'],
    ['orders_edited', 'orders/edited'],
    ['refunds_create', 'refunds/create'],
    ['disputes_create', 'disputes/create'],
    ['disputes_update--lost', 'disputes/update'],
    ['subscription_billing_attempts_success', 'subscription_billing_attempts/success'],
    ['subscription_billing_attempts_failure', 'subscription_billing_attempts/failure'],
    ['subscription_contracts_create', 'subscription_contracts/create'],
    ['customers_redact', 'customers/redact'],
    ['shop_redact', 'shop/redact'],
  ])('%s', (name, topic) => {
    expect(shopify.sign(fixture(name), ENDPOINT, NOW)['x-shopify-topic']).toBe(topic);
  });
});

describe('what a Shopify body means', () => {
  const SHOP = { shop_id: 55810031681, shop_domain: 'fern-and-oak.myshopify.com' };

  it('a data request names the customer and how to answer it', () => {
    const request = Buffer.from(JSON.stringify({ ...SHOP, customer: { id: 7730411298881 }, data_request: { id: 1 } }));
    expect(interpreted(request, 'customers/data_request')).toEqual({
      kind: 'facts',
      facts: [{ kind: 'noted', what: expect.stringMatching(/^gid:\/\/shopify\/Customer\/7730411298881 asks what/) }],
    });
    expect(interpreted(Buffer.from('{}'), 'customers/redact')).toMatchObject({ kind: 'unknown' });
  });

  it('a redaction of many orders becomes several facts, each with as many orders as a fact may name', () => {
    const orders = Array.from({ length: 150 }, (_, index) => 6_184_520_000_000 + index);
    const redaction = Buffer.from(
      JSON.stringify({ ...SHOP, customer: { id: 1, email: null }, orders_to_redact: orders }),
    );
    const facts = interpreted(redaction, 'customers/redact');
    expect(facts).toMatchObject({
      kind: 'facts',
      facts: [{ references: { length: 100 } }, { references: { length: 50 } }],
    });
  });

  it('an order that is paid at once counts once, whether orders/create or orders/paid reports it', () => {
    const renewal = fixture('orders_paid--renewal');
    expect(interpreted(renewal, 'orders/create')).toEqual(interpreted(renewal, 'orders/paid'));
  });

  it('a body that contradicts its topic is unknown, because the topic is not signed', () => {
    expect(interpreted(fixture('refunds_create'), 'orders/paid').kind).toBe('unknown');
    expect(interpreted(fixture('orders_paid'), 'refunds/create').kind).toBe('unknown');
    expect(interpreted(fixture('orders_paid'), 'disputes/create').kind).toBe('unknown');
  });

  it('a refund of an order with an id beyond 2^53 names exactly that order', () => {
    const { invoiceId } = paymentIn(interpreted(fixture('orders_paid--id-beyond-doubles'), 'orders/paid'));
    const refund = interpreted(fixture('refunds_create--id-beyond-doubles'), 'refunds/create');
    expect(refund).toMatchObject({ facts: [{ kind: 'payment.refunded', references: [invoiceId] }] });
  });

  it('malformed hints never lose the sale', () => {
    const codes = { discount_codes: 'x', discount_applications: [null] };
    const odd = { note_attributes: { a: 1 }, landing_site: 7, ...codes, total_price_set: {} };
    const { customer, discountCodes } = paymentIn(
      interpreted(bytes({ ...bodyOf('orders_paid'), ...odd }), 'orders/paid'),
    );
    expect(customer.externalIds).toEqual([]);
    expect(discountCodes).toEqual([]);
  });

  it.each([{}, { id: null }, { id: 'x' }, 7])('nor does a malformed customer: %j', (customer) => {
    const payment = paymentIn(interpreted(bytes({ ...bodyOf('orders_paid'), customer }), 'orders/paid'));
    expect(payment).toMatchObject({ netMinor: 9900, customer: { processorCustomerId: null } });
    expect(payment.customer.externalIds).toHaveLength(1);
  });

  it('attributes named like members of Object.prototype are ordinary attributes', () => {
    const note_attributes = [
      { name: '__proto__', value: 'x' },
      { name: 'constructor', value: 'y' },
      { name: 'svc_id', value: ' clk_1 ' },
    ];
    const { customer } = paymentIn(interpreted(bytes({ ...bodyOf('orders_paid'), note_attributes }), 'orders/paid'));
    expect(customer.clickIds).toEqual([{ value: 'clk_1', place: 'note_attributes.svc_id' }]);
  });

  it('a landing page provides a click id but never a customer id, which any visitor could type', () => {
    const landing = { note_attributes: [], landing_site: 'https://fern.example/?svcCustomerExternalId=u&svc_id=clk_2' };
    const { customer } = paymentIn(interpreted(bytes({ ...bodyOf('orders_paid'), ...landing }), 'orders/paid'));
    expect(customer.externalIds).toEqual([]);
    expect(customer.clickIds).toEqual([{ value: 'clk_2', place: 'landing_site.svc_id' }]);
  });

  it('a delivery of Shopify Events is ignored with advice, whatever its topic', () => {
    const headers = { 'shopify-topic': 'orders/paid', 'shopify-webhook-id': 'w-9' };
    const delivery = shopify.read({ rawBody: fixture('orders_paid'), headers });
    expect(shopify.interpret(delivery, headers, SETTINGS)).toMatchObject({ kind: 'ignored' });
  });

  it('a dispute without an order is ignored, an undocumented transaction status is unknown', () => {
    const dispute = { ...bodyOf('disputes_create'), order_id: null };
    expect(interpreted(bytes(dispute), 'disputes/create')).toMatchObject({ kind: 'ignored' });
    const refund = bodyOf('refunds_create');
    refund.transactions[0].status = 'half_done';
    expect(interpreted(bytes(refund), 'refunds/create')).toMatchObject({ kind: 'unknown' });
  });

  it('a time without a zone is UTC, wherever the server is', () => {
    const order = { ...bodyOf('orders_paid'), processed_at: '2026-11-01T00:30:00' };
    vi.stubEnv('TZ', 'America/New_York');
    const { occurredAt } = paymentIn(interpreted(bytes(order), 'orders/paid'));
    vi.unstubAllEnvs();
    expect(occurredAt).toBe(Date.UTC(2026, 10, 1, 0, 30));
  });

  it('no signed body makes it throw, and amounts stay consistent: 0 ≤ net ≤ gross', () => {
    const order = bodyOf('orders_paid');
    const amount = fc.oneof(fc.constantFrom('0', '-1.00', '1e3', '9'.repeat(50), 'NaN'), fc.double().map(String));
    const changes = fc.record(
      { total_price: amount, subtotal_price: amount, total_tax: amount, taxes_included: fc.boolean() },
      { requiredKeys: [] },
    );
    const junk = fc.dictionary(fc.constantFrom(...Object.keys(order)), fc.jsonValue(), { maxKeys: 2 });
    fc.assert(
      fc.property(changes, junk, (money, other) => {
        const result = interpreted(bytes({ ...order, ...money, ...other }), 'orders/paid');
        for (const fact of result.kind === 'facts' ? result.facts : []) {
          if (fact.kind !== 'payment.received') continue;
          expect(Number.isSafeInteger(fact.grossMinor) && fact.grossMinor > 0).toBe(true);
          expect(fact.netMinor >= 0 && fact.netMinor <= fact.grossMinor).toBe(true);
        }
      }),
    );
  });
});
