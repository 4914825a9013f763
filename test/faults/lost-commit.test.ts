import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, DuplicateInvoiceError, OutcomeUnknownError } from '../../src/client/index.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { errorOf } from '../client/answering-fetch.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createTestDatabase } from '../helpers/databases.ts';
import { createPostgresProxy, type PostgresProxy } from '../helpers/postgres-proxy.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

describe('a connection to PostgreSQL that is lost during the commit', () => {
  let app: TestApp;
  let client: Client;
  let proxy: PostgresProxy;
  const endings: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const test = await createTestDatabase('postgres');
    endings.push(() => test.remove());
    proxy = await createPostgresProxy(test.url);
    endings.push(() => proxy.close());
    const database = await openDatabase(proxy.url);
    endings.push(() => database.close());
    app = await createTestApp('postgres', { service: { database } });
    endings.push(() => app.close());
    client = createClient({ baseUrl: app.url, apiKey: app.apiKey });
  });
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  it('never doubles an adjustment: the client asks to check instead of sending it again', async () => {
    const { partnerId } = await createReferrer(app);
    proxy.breakAfter('COMMIT');
    const error = await errorOf(
      client.adjustments.create({ partnerId, amount: 50_000, currency: 'usd', reason: 'Bonus' }),
    );
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({
      status: 503,
      attempts: 1,
      message: expect.stringContaining('Check before you send'),
    });
    const { data } = await client.ledger.listEntries({ partnerId });
    expect(data.map(({ amount }) => amount)).toEqual([50_000]);
  });

  it('does not keep a sale with an invoice from being sent again: it is found, and counted once', async () => {
    const referrer = await createReferrer(app);
    const customerExternalId = unique('user');
    const clickId = await referrer.lead(customerExternalId);
    const sale = { customerExternalId, amount: 10_000, currency: 'usd' };
    proxy.breakAfter('COMMIT');
    const error = await errorOf(client.sales.report({ ...sale, invoiceId: unique('in') }));
    expect(error).toBeInstanceOf(DuplicateInvoiceError);
    expect(error.attempts).toBe(2);
    proxy.breakAfter('COMMIT');
    const patient = createClient({ baseUrl: app.url, apiKey: app.apiKey, timeoutMs: 20_000 });
    expect(await patient.trackSale({ clickId, ...sale })).toMatchObject({ ok: true, status: 'duplicate' });
    expect((await client.sales.list({ customerExternalId })).data).toHaveLength(2);
  });

  it('never makes a delivery failed: its processor gets 503, delivers again, and it counts once', async () => {
    const endpoint = await createEndpoint(app, 'stripe');
    const payload = checkoutCompleted({});
    proxy.breakAfter('COMMIT');
    const lost = await endpoint.deliver(payload);
    expect([lost.status, lost.body.error.code]).toEqual([503, 'OUTCOME_UNKNOWN']);
    expect((await endpoint.deliver(payload)).body.outcome).toBe('duplicate');
    const { data } = await client.deliveries.list({ endpointId: endpoint.id });
    expect(data.map(({ status, outcome }) => [status, outcome])).toEqual([['processed', 'unattributed']]);
  });
});
