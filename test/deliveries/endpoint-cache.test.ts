import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { changeEndpoint, deleteEndpoint } from '../../src/deliveries/endpoints.ts';
import { receiveWebhook } from '../../src/deliveries/receive.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';

describe.each(engines)('a cached endpoint, on %s', (engine) => {
  let app: TestApp;
  /** The same database, opened as another process would. */
  let elsewhere: Database;
  let now = 1_790_000_000_000;
  let readCount = 0;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    elsewhere = await openDatabase(app.databaseUrl);
    const { read } = app.service.database;
    app.service.database.read = (unit) => {
      readCount += 1;
      return read(unit);
    };
  });
  afterAll(async () => {
    await elsewhere.close();
    await app.close();
  });

  async function createEndpoint(secret: string): Promise<string> {
    const body = { processor: 'stripe', secrets: [secret] };
    return (await app.call('POST', '/api/webhook-endpoints', { body })).body.id;
  }

  async function deliver(endpointId: string, secret: string, processor = 'stripe'): Promise<string> {
    const body = Buffer.from(
      JSON.stringify(invoicePaid({ invoice: unique('in'), externalId: 'nobody', amount: 1_000 })),
    );
    const adapter = await app.service.adapterFor('stripe');
    const headers = adapter.sign(body, { secrets: [secret], authorization: null, shopDomain: null }, now);
    try {
      return (await receiveWebhook(app.service, { processor, endpointId, rawBody: body, headers })).outcome;
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  it('accepts deliveries for a second without a database query', async () => {
    const id = await createEndpoint('whsec_a');
    readCount = 0;
    for (let n = 0; n < 3; n++) expect(await deliver(id, 'whsec_a')).toBe('unattributed');
    expect(readCount).toBe(1);
    now += 1_001;
    expect(await deliver(id, 'whsec_a')).toBe('unattributed');
    expect(readCount).toBe(2);
  });

  it('is never found for another processor', async () => {
    const id = await createEndpoint('whsec_a');
    expect(await deliver(id, 'whsec_a')).toBe('unattributed');
    expect(await deliver(id, 'whsec_a', 'paddle')).toBe('NOT_FOUND');
    expect(await deliver(id, 'whsec_a')).toBe('unattributed');
  });

  it('is up to date in the process that changed it', async () => {
    const id = await createEndpoint('whsec_a');
    expect(await deliver(id, 'whsec_a')).toBe('unattributed');
    await changeEndpoint(app.service, app.accountId, id, { secrets: ['whsec_b'] });
    expect([await deliver(id, 'whsec_a'), await deliver(id, 'whsec_b')]).toEqual(['INVALID_SIGNATURE', 'unattributed']);
    await deleteEndpoint(app.service, app.accountId, id);
    expect(await deliver(id, 'whsec_b')).toBe('NOT_FOUND');
  });

  it("accepts another process's new secret at once, and drops an old one or a deleted endpoint within a second", async () => {
    const id = await createEndpoint('whsec_a');
    expect(await deliver(id, 'whsec_a')).toBe('unattributed');
    const other = createService({ ...app.service, database: elsewhere });
    await changeEndpoint(other, app.accountId, id, { secrets: ['whsec_b'] });
    expect(await deliver(id, 'whsec_b')).toBe('unattributed');
    expect(await deliver(id, 'whsec_a')).toBe('INVALID_SIGNATURE');
    await deleteEndpoint(other, app.accountId, id);
    now += 1_001;
    expect(await deliver(id, 'whsec_b')).toBe('NOT_FOUND');
  });
});
