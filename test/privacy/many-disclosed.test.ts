import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { createId } from '../../src/ids.ts';
import { discloseCustomer } from '../../src/privacy/customers.ts';
import type { SqlValue, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer } from '../helpers/story.ts';

const SALES = 1_100;
const ROWS_MAX = 500;

describe.each(engines)('disclosing a customer with more than a thousand sales, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    const referrer = await createReferrer(app);
    await referrer.lead('mia');
    const body = { customerExternalId: 'mia', amount: 1_000, invoiceId: 'first', metadata: { note: 'mine' } };
    expect((await app.call('POST', '/api/sales', { body })).status).toBe(200);
    await app.service.database.write(async (tx) => {
      const sale = await tx.get<Record<string, SqlValue>>("SELECT * FROM sales WHERE invoice_id = 'first'");
      const columns = Object.keys(sale ?? {});
      const values = columns.map((column) => `@${column}`);
      for (let n = 1; n < SALES; n += 1) {
        // several at the same moment
        const place = { id: createId('sal'), invoice_id: `copy ${n}`, occurred_at: Math.floor(n / 7) };
        await tx.run(`INSERT INTO sales (${columns.join(', ')}) VALUES (${values.join(', ')})`, { ...sale, ...place });
      }
    });
  });
  afterAll(() => app.close());

  it('reads them in parts, so that no other request waits for all of them, and shows each once, by id', async () => {
    let rowsMax = 0;
    const { database } = app.service;
    const counting = (tx: Transaction): Transaction => ({
      ...tx,
      get: (...query) => tx.get(...query),
      run: (...query) => tx.run(...query),
      async all<Row>(...query: Parameters<Transaction['all']>) {
        const rows = await tx.all<Row>(...query);
        rowsMax = Math.max(rowsMax, rows.length);
        return rows;
      },
    });
    const report: typeof database.report = (unit, options) => database.report((tx) => unit(counting(tx)), options);
    const service = createService({ ...app.service, database: { ...database, report } });
    const { content } = await discloseCustomer(service, app.accountId, 'mia');
    let text = '';
    for await (const part of content as AsyncIterable<string>) text += part;
    const ids = JSON.parse(text).sales.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(SALES);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(rowsMax).toBeLessThanOrEqual(ROWS_MAX);
  });
});
