import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportRunner, startImportRunner } from '../../src/exchange/jobs/runner.ts';
import { importFile, sendFile, waitForImport } from '../exchange/server-import.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';

describe.each(engines)("Shopify's requests about personal data, on %s", (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let runner: ImportRunner;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    const hooks = { url: 'https://hooks.example.com/', types: ['payment.unattributed', 'sale.created'] };
    expect((await app.call('POST', '/api/event-endpoints', { body: hooks })).status).toBe(201);
    runner = startImportRunner(app.service, { pollMs: 20 });
  });
  afterAll(async () => {
    await runner.stop();
    await app.close();
  });

  const stored = (text: string) => placesOf(app.service.database, text);

  it('are followed', async () => {
    const shop = await createEndpoint(app, 'shopify', { shopDomain: 'fern-and-oak.myshopify.com' });
    const customer = unique('user');
    const email = `${customer}@example.com`;
    await referrer.lead(customer, { customerEmail: email, customerName: 'Ines' });
    const [customerId, orderId] = [Number(`77${Date.now()}`), Number(`61${Date.now()}`)];
    const order = shopifyOrder({ orderId, customerId, email, externalId: customer });
    expect((await shop.deliver(order, 'orders/paid')).body.outcome).toBe('sale');
    const request = { shop_id: 1, shop_domain: 'fern-and-oak.myshopify.com', customer: { id: customerId, email } };
    expect((await shop.deliver({ ...request, data_request: { id: 1 } }, 'customers/data_request')).body.outcome).toBe(
      'noted',
    );
    const redact = { ...request, orders_to_redact: [orderId] };
    expect((await shop.deliver(redact, 'customers/redact')).body.outcome).toBe('noted');
    await sweep(app.service);
    expect(await stored(email)).toEqual([]);
    expect((await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data).toHaveLength(1);

    const other = shopifyOrder({
      orderId: orderId + 1,
      customerId: customerId + 1,
      email: 'kim@example.com',
      externalId: unique('user'),
    });
    await shop.deliver(other, 'orders/paid');
    expect(await stored('/cart/marked')).not.toEqual([]);
    expect(
      (await shop.deliver({ shop_id: 1, shop_domain: 'fern-and-oak.myshopify.com' }, 'shop/redact')).body.outcome,
    ).toBe('noted');
    await sweep(app.service);
    expect(await stored('/cart/marked')).toEqual([]);
  });

  it.each([
    ['with the address', 'an order that is paid'],
    ['without an address', 'an order that is paid'],
    ['with the address', 'an order that is not paid yet'],
  ])('cover orders that nobody earned: %s, %s', async (how, what) => {
    const shop = await createEndpoint(app, 'shopify', { shopDomain: 'ash-and-ivy.myshopify.com' });
    const [customerId, orderId] = [Number(`79${Date.now()}`), Number(`63${Date.now()}`)];
    const name = unique('Okafor');
    const email = how === 'with the address' ? `${name}@example.com` : null;
    const isPaid = what === 'an order that is paid';
    const order = {
      ...shopifyOrder({ orderId, customerId, email, name }),
      ...(isPaid ? {} : { financial_status: 'pending' }),
    };
    const { outcome } = (await shop.deliver(order, isPaid ? 'orders/paid' : 'orders/create')).body;
    expect(outcome).toBe(isPaid ? 'unattributed' : 'noted');
    expect((await stored(name)).join()).toContain(isPaid ? 'payments.fact' : 'identities.name');
    const request = { shop_id: 1, shop_domain: 'ash-and-ivy.myshopify.com', customer: { id: customerId, email } };
    await shop.deliver({ ...request, orders_to_redact: [orderId] }, 'customers/redact');
    await sweep(app.service);
    expect(await stored(name)).toEqual([]);
  });

  it.each(['customers/redact', 'customers/data_request', 'shop/redact'])(
    'are not followed when the signed body is of something else: %s',
    async (topic) => {
      const shop = await createEndpoint(app, 'shopify', { shopDomain: 'fern-and-oak.myshopify.com' });
      const customer = unique('user');
      const email = `${customer}@example.com`;
      await referrer.lead(customer, { customerEmail: email, customerName: 'Ines' });
      const [customerId, orderId] = [Number(`78${Date.now()}`), Number(`62${Date.now()}`)];
      const order = shopifyOrder({ orderId, customerId, email, externalId: customer });
      expect((await shop.deliver(order, 'orders/paid')).body.outcome).toBe('sale');
      const request = { shop_id: 1, shop_domain: 'fern-and-oak.myshopify.com', customer: { id: customerId, email } };
      const { customer: _, ...ofShop } = request;
      const others: object[] = {
        'customers/redact': [order, ofShop, { ...request, data_request: { id: 1 } }],
        'customers/data_request': [order, ofShop],
        'shop/redact': [order, request, { ...request, orders_to_redact: [orderId] }],
      }[topic] as object[];
      for (const body of others) expect((await shop.deliver(body, topic)).body.outcome).toBe('unknown');
      await sweep(app.service);
      const { body } = await app.call('GET', `/api/customers/${customer}`);
      expect(body).toMatchObject({ email, name: 'Ines' });
      expect(await stored('/cart/marked')).not.toEqual([]);
    },
  );

  it('delete messages about rows of imports, which may name the person, as soon as no import is running', async () => {
    const shop = await createEndpoint(app, 'shopify', { shopDomain: 'moss-and-elm.myshopify.com' });
    const other = await createReferrer(app);
    const known = unique('user');
    await referrer.lead(known);
    const { email } = (await app.call('GET', `/api/partners/${other.partnerId}`)).body;
    // belongs to another partner, so it is refused with its id
    const file = { kind: 'customers', text: `externalId,partner\n${known},${email}\n` };
    const told = async (id: string) => JSON.stringify((await app.call('GET', `/api/imports/${id}`)).body.refusedRows);
    const ended = await importFile(app.call, file);
    expect(await told(ended.id)).toContain(known);

    const customer = { id: Number(`78${Date.now()}`), email: `${unique('nobody')}@example.com` };
    const redact = { shop_id: 1, shop_domain: 'moss-and-elm.myshopify.com', customer, orders_to_redact: [] };
    expect((await shop.deliver(redact, 'customers/redact')).body.outcome).toBe('noted');
    const uploading = await sendFile(app.call, { ...file, settings: { fileBytes: file.text.length + 1 } });
    await sweep(app.service);
    expect(await told(ended.id)).toBe('[]');

    const rest = { body: Buffer.from('\n'), headers: { 'content-type': 'text/csv' } };
    expect((await app.call('PUT', `/api/imports/${uploading}/file?part=2`, rest)).status).toBe(200);
    await waitForImport(app.call, uploading);
    expect(await told(uploading)).toContain(known);
    await sweep(app.service);
    expect(await told(uploading)).toBe('[]');

    const later = await importFile(app.call, file);
    await sweep(app.service);
    expect(await told(later.id)).toContain(known);
  });
});

function shopifyOrder({
  orderId,
  customerId,
  email,
  externalId,
  name = 'Okafor',
}: {
  orderId: number;
  customerId: number;
  email: string | null;
  externalId?: string;
  name?: string;
}) {
  return {
    id: orderId,
    admin_graphql_api_id: `gid://shopify/Order/${orderId}`,
    created_at: '2026-11-02T10:00:00Z',
    processed_at: '2026-11-02T10:00:00Z',
    updated_at: '2026-11-02T10:00:00Z',
    currency: 'EUR',
    presentment_currency: 'EUR',
    financial_status: 'paid',
    total_price: '50.00',
    current_total_price: '50.00',
    subtotal_price: '50.00',
    total_tax: '0.00',
    total_outstanding: '0.00',
    taxes_included: true,
    test: false,
    email,
    landing_site: '/cart/marked',
    note_attributes: externalId === undefined ? [] : [{ name: 'svcCustomerExternalId', value: externalId }],
    customer: { id: customerId, email, first_name: 'Ines', last_name: name },
    line_items: [],
    refunds: [],
  };
}
