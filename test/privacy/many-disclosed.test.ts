import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../../src/ids.ts';
import { discloseCustomer, eraseCustomer } from '../../src/privacy/customers.ts';
import type { CustomerData } from '../../src/privacy/schemas.ts';
import type { SqlValue, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { observeQueries } from '../helpers/observe-queries.ts';
import { createReferrer } from '../helpers/story.ts';

const SALES = 1_100;
const LEADS = 250;
const ROWS_MAX = 100;
const METADATA = { note: 'x'.repeat(1_000) };
/** A part of the answer. */
const CHARACTERS_MAX = 70_000;

/** Adds a copy of the first row of a table, with other values in some columns. */
async function copyRow(tx: Transaction, table: string, values: Record<string, SqlValue>): Promise<void> {
  const row = { ...(await tx.get<Record<string, SqlValue>>(`SELECT * FROM ${table} ORDER BY id LIMIT 1`)), ...values };
  const columns = Object.keys(row);
  await tx.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (@${columns.join(', @')})`, row);
}

describe.each(engines)('a customer with more than a thousand sales, and hundreds of leads, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    const referrer = await createReferrer(app);
    await referrer.lead('mia', { metadata: METADATA });
    const body = { customerExternalId: 'mia', amount: 1_000, invoiceId: 'first', metadata: METADATA };
    expect((await app.call('POST', '/api/sales', { body })).status).toBe(200);
    await app.service.database.write(async (tx) => {
      for (let n = 1; n < SALES; n += 1) {
        // several at the same moment
        await copyRow(tx, 'sales', { id: createId('sal'), invoice_id: `copy ${n}`, occurred_at: Math.floor(n / 7) });
      }
      for (let n = 1; n < LEADS; n += 1) {
        await copyRow(tx, 'leads', { id: createId('led'), event_name: `event ${n}`, created_at: LEADS - n });
      }
    });
  });
  afterAll(() => app.close());

  it('is disclosed in parts, so that no other request waits for all of them, and each is there once, in order', async () => {
    let rowsMax = 0;
    const service = observeQueries(app.service, (_, result) => {
      if (Array.isArray(result)) rowsMax = Math.max(rowsMax, result.length);
    });
    const { content } = await discloseCustomer(service, app.accountId, 'mia');
    const parts: string[] = [];
    let turns = 0;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    for await (const part of content as AsyncIterable<string>) parts.push(part);
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(parts.length - 1);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(CHARACTERS_MAX);
    expect(rowsMax).toBeLessThanOrEqual(ROWS_MAX);
    const { sales, leads } = JSON.parse(parts.join('')) as CustomerData;
    const ids = sales.map(({ id }) => id);
    expect(ids).toHaveLength(SALES);
    expect(ids).toEqual([...new Set(ids)].sort());
    const times = leads.map(({ createdAt }) => createdAt);
    expect(new Set(leads.map(({ eventName }) => eventName)).size).toBe(LEADS);
    expect(times).toEqual(times.toSorted());
    expect([...sales, ...leads].map(({ metadata }) => metadata)).toEqual(Array(SALES + LEADS).fill(METADATA));
  });

  it('is erased without a look at what the leads say', async () => {
    const read: { metadata: unknown }[] = [];
    const service = observeQueries(app.service, (sql, result) => {
      if (/SELECT[^;]* FROM leads WHERE customer_id/.test(sql)) read.push(...(result as { metadata: unknown }[]));
    });
    await eraseCustomer(service, app.accountId, 'mia');
    // before the unit of work and in it, and once more where another process may have changed them in the meantime
    expect(read).toHaveLength(LEADS * (engine === 'sqlite' ? 2 : 3));
    expect(read.filter(({ metadata }) => metadata !== null)).toEqual([]);
    const left = 'SELECT COUNT(*) AS count FROM leads WHERE metadata IS NOT NULL';
    expect(await app.service.database.read((tx) => tx.get(left))).toEqual({ count: 0 });
  });
});
