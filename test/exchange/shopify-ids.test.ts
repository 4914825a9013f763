import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { ORDER_ID, orderOf, refundOf } from '../helpers/shopify-orders.ts';
import { createEndpoint, type EndpointUnderTest } from '../helpers/story.ts';
import { counts, importCsvText } from './import-text.ts';

const ORDER = orderOf([[1, 1, 5_000]], { note_attributes: [] });

describe.each(engines)("rows of a CSV file with Shopify's ids, on %s", (engine) => {
  let app: TestApp;
  let folder: string;
  let shop: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-csv-'));
    shop = await createEndpoint(app, 'shopify');
    await importText('partners', 'email\nana@example.com\n');
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const importText = (kind: CsvKind, text: string) => importCsvText(app, folder, kind, { text });

  it.each(['7730411298881', "'7730411298882", 'gid://shopify/Customer/7730411298883'])(
    'attribute the orders of a customer whom they name as %s',
    async (named) => {
      const id = Number(/\d+$/.exec(named)?.[0]);
      const text = `userId,partner,processor,processorCustomerId\nuser_${id},ana@example.com,Shopify,${named}\n`;
      expect(await importText('customers', text)).toMatchObject(counts(1, 0, 0));
      const order = { ...ORDER, id: String(id), customer: { id } };
      expect((await shop.deliver(order, 'orders/paid')).body.outcome).toBe('sale');
    },
  );

  it('are refused when a spreadsheet has shortened the number', async () => {
    const text = 'userId,partner,processor,processorCustomerId\nuser_1,ana@example.com,shopify,7.73041E+12\n';
    const { problems } = await importText('customers', text);
    expect(problems.map(({ reason }) => reason)).toEqual([
      'processorCustomerId: must be the number of a customer at Shopify, such as 7730411298881',
    ]);
  });

  it('find the order when Shopify reports it again, and its refund', async () => {
    const text =
      'id,partner,amount,currency,status,date,saleAmount,customer,invoiceId,processor\n' +
      'c_1,ana@example.com,10.00,EUR,due,2026-11-01,50.00,user_2,7001,Shopify\n';
    expect(await importText('commissions', text)).toMatchObject(counts(1, 0, 0));
    expect((await shop.deliver(ORDER, 'orders/paid')).body.outcome).toBe('duplicate');
    const refund = refundOf(1, [[1, 1, 5_000]], { paidBackIn: 'EUR' });
    expect((await shop.deliver(refund, 'refunds/create')).body.outcome).toBe('reversal');
    const { data } = (await app.call('GET', `/api/sales?customerExternalId=user_2`)).body;
    expect(data).toMatchObject([{ invoiceId: ORDER_ID, commissionAmount: 1_000, reversedCommissionAmount: 1_000 }]);
  });
});
