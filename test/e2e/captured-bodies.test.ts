import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer } from '../helpers/story.ts';

const BODY = readFileSync(new URL('../../fixtures/shopify/orders_paid.json', import.meta.url));
const SECRET = 'shpss_captured';

describe.each(engines)('a body of Shopify that somebody captured, on %s', (engine) => {
  let app: TestApp;
  let path: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await (await createReferrer(app)).lead('user_4101');
  });
  afterAll(() => app.close());

  const createEndpoint = async () => {
    const body = { processor: 'shopify', secrets: [SECRET] };
    path = new URL((await app.call('POST', '/api/webhook-endpoints', { body })).body.url).pathname;
  };
  const send = async (headers: Record<string, string> = {}) => {
    const answer = await call(app.url + path, 'POST', {
      body: BODY,
      headers: {
        'content-type': 'application/json',
        'x-shopify-topic': 'orders/paid',
        'x-shopify-shop-domain': 'fern.myshopify.com',
        'x-shopify-api-version': '2026-10',
        'x-shopify-webhook-id': randomBytes(8).toString('hex'),
        'x-shopify-event-id': randomBytes(8).toString('hex'),
        'x-shopify-hmac-sha256': createHmac('sha256', SECRET).update(BODY).digest('base64'),
        ...headers,
      },
    });
    expect(answer.status).toBe(200);
    return answer.body.outcome;
  };
  const storedCount = async () => (await app.call('GET', '/api/deliveries?limit=100')).body.data.length;

  it('counts when it was sent before with a test header, which is not signed', async () => {
    await createEndpoint();
    expect(await send({ 'x-shopify-test': 'true' })).toBe('sale');
    expect(await send()).toBe('duplicate');
  });

  it('is stored once under any number of ids, and once under all topics that are not read', async () => {
    const before = await storedCount();
    for (let number = 0; number < 20; number += 1) expect(await send()).toBe('duplicate');
    expect(await storedCount()).toBe(before);
    const outcomes = [];
    for (let number = 0; number < 10; number += 1) {
      outcomes.push(await send({ 'x-shopify-topic': `planets/aligned_${number}` }));
    }
    expect(outcomes).toEqual(['unknown', ...Array.from({ length: 9 }, () => 'duplicate')]);
    expect(await storedCount()).toBe(before + 1);
  });
});
