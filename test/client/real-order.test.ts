import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileQueue } from '../../src/client/file-queue.ts';
import { createClient, type QueuedCall } from '../../src/client/index.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createReferrer, unique } from '../helpers/story.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite');
});
afterAll(() => app.close());

describe('with a running service, what was queued is recorded first:', () => {
  it('a refund after a restart does not overtake the stored sale', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'refbridge-queue-'));
    const referrer = await createReferrer(app);
    const customerExternalId = unique('user');
    const clickId = await referrer.lead(customerExternalId);
    const invoiceId = unique('in');
    const body = JSON.stringify({ clickId, customerExternalId, amount: 10_000, invoiceId });
    const stored: QueuedCall = { path: '/api/track/sale', body, attempts: 1, queuedAt: Date.now() };
    const file = join(folder, 'queue.json');
    await writeFile(file, JSON.stringify([stored]));

    const client = createClient({
      baseUrl: app.url,
      apiKey: app.apiKey,
      timeoutMs: 20_000,
      queueStore: createFileQueue(file),
    });
    expect((await client.refundSale({ invoiceId, refundId: 're_1', amount: 10_000 })).status).toBe('queued');
    expect(await client.flush()).toBe(0);
    const { data } = await client.sales.list({ invoiceId });
    expect(data.map(({ status, refundedAmount }) => [status, refundedAmount])).toEqual([['refunded', 10_000]]);
    await rm(folder, { recursive: true });
  });

  it("a sale through another partner's click does not take the customer from the partner of the queued lead", async () => {
    const [first, second] = [await createReferrer(app), await createReferrer(app)];
    const [clickId, otherClickId] = [await first.click(), await second.click()];
    const customerExternalId = unique('user');
    let isDown = true;
    const client = createClient({
      baseUrl: app.url,
      apiKey: app.apiKey,
      timeoutMs: 1_000,
      fetch: (input, init) => (isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init)),
    });
    expect((await client.trackLead({ clickId, eventName: 'Sign up', customerExternalId })).status).toBe('queued');
    isDown = false;
    await client.trackSale({ clickId: otherClickId, customerExternalId, amount: 100 });
    await expect.poll(client.flush).toBe(0);
    await client.sales.report({ customerExternalId, amount: 5_000 });
    const { data } = await client.sales.list({ customerExternalId });
    expect(data.map(({ amount, partnerId }) => [amount, partnerId])).toEqual([
      [5_000, first.partnerId],
      [100, second.partnerId],
    ]);
  });
});
