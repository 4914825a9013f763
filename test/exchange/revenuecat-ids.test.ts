import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint } from '../helpers/story.ts';
import { counts, importCsvText } from './import-text.ts';

const HEAD = 'invoiceId,partner,customer,amount,currency,date,commission,status,processor';
const row = (invoiceId: string, customer: string, processor = 'revenuecat') =>
  `${invoiceId},ana@example.com,${customer},9.99,USD,2026-11-01,2.00,due,${processor}`;

describe.each(engines)("rows of a CSV file with RevenueCat's ids, on %s", (engine) => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-csv-'));
    await importCsvText(app, folder, 'partners', { text: 'email\nana@example.com\n' });
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const importRows = (...rows: string[]) => importCsvText(app, folder, 'sales', { text: [HEAD, ...rows].join('\n') });

  it('name the store, too, so that a purchase that RevenueCat reports again counts once', async () => {
    expect(await importRows(row('APP_STORE:2000001', 'user_1'))).toMatchObject(counts(1, 0, 0));
    const revenuecat = await createEndpoint(app, 'revenuecat');
    const event = {
      id: 'evt_1',
      type: 'INITIAL_PURCHASE',
      environment: 'PRODUCTION',
      store: 'APP_STORE',
      transaction_id: '2000001',
      original_transaction_id: '2000001',
      app_user_id: 'user_1',
      original_app_user_id: 'user_1',
      aliases: ['user_1'],
      product_id: 'pro',
      period_type: 'NORMAL',
      price: 9.99,
      price_in_purchased_currency: 9.99,
      currency: 'USD',
      tax_percentage: 0,
      takehome_percentage: 0.7,
      purchased_at_ms: Date.UTC(2026, 10, 1),
      event_timestamp_ms: Date.UTC(2026, 10, 1),
    };
    expect((await revenuecat.deliver({ api_version: '1.0', event })).body.outcome).toBe('duplicate');
  });

  it('are refused without the store', async () => {
    const { problems, ...imported } = await importRows(row('2000002', 'user_2'), row('order_3', 'user_3', ''));
    expect(imported).toMatchObject(counts(1, 0, 1));
    expect(problems).toMatchObject([
      {
        key: '2000002',
        reason:
          'invoiceId: must be the store and its transaction, such as APP_STORE:1000000825308402; leave processor empty for an id of your own',
      },
    ]);
  });
});
