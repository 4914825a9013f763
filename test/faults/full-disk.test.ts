import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWriteProbe } from '../../src/app/write-probe.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

const METADATA = { note: 'x'.repeat(9_000) };
const AT_ONCE = 60;

/** What each sale of this test must contain, and nothing more. */
interface StoredSale {
  invoiceId: string;
  payments: number;
  entries: number;
}

describe('a full database', () => {
  let app: TestApp;
  let stripe: EndpointUnderTest;
  let clickId: string;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
    const referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    clickId = await referrer.lead('payer');
  });
  afterAll(() => app.close());

  /** Limits the file's growth to this many pages; null removes the limit. Only the connection itself can set it. */
  async function limitGrowth(pages: number | null): Promise<void> {
    const database = new BetterSqlite3(new URL(app.databaseUrl).pathname, { readonly: true });
    const current = Number(database.pragma('page_count', { simple: true }));
    database.close();
    const most = pages === null ? 1_000_000_000 : current + pages;
    await app.service.database.write((tx) => tx.all(`PRAGMA max_page_count = ${most}`));
  }
  const reportSale = (invoiceId: string) =>
    app.call('POST', '/api/track/sale', {
      body: { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId, metadata: METADATA },
    });
  const storedSales = () =>
    app.service.database.read((tx) =>
      tx.all<StoredSale>(
        `SELECT s.invoice_id AS "invoiceId",
           (SELECT COUNT(*) FROM payments p WHERE p.id = s.payment_id AND p.sale_id = s.id) AS payments,
           (SELECT COUNT(*) FROM ledger_entries e WHERE e.sale_id = s.id) AS entries
         FROM sales s`,
      ),
    );
  const count = async (table: string) =>
    (await app.service.database.read((tx) => tx.get<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`)))
      ?.count;

  it('either stores or refuses each sale of a batch that does not fit, and stores no sale in part', async () => {
    await limitGrowth(100);
    const invoices = Array.from({ length: AT_ONCE }, () => unique('inv'));
    const answers = await Promise.all(invoices.map(reportSale));
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status !== 503).map(({ status }) => status)).toEqual(
      Array(AT_ONCE - refused.length).fill(200),
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(AT_ONCE);
    for (const { headers, body } of refused) {
      expect(body.error.code).toBe('UNAVAILABLE');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      // longer than for a lock, because nobody frees disk space within seconds
      expect(Number(headers.get('retry-after'))).toBe(30);
    }
    const accepted = invoices.filter((_, index) => answers[index]?.status === 200);
    const stored = await storedSales();
    expect(stored.map(({ invoiceId }) => invoiceId).sort()).toEqual(accepted.sort());
    expect(stored.map(({ invoiceId: _, ...parts }) => parts)).toEqual(
      Array(stored.length).fill({ payments: 1, entries: 1 }),
    );
    expect(await count('payments')).toBe(stored.length);
    expect(await count('payment_references')).toBe(0);
    expect(await count('ledger_entries')).toBe(stored.length);
  });

  it('refuses deliveries, answers reads and stays alive, and recovers without a restart', async () => {
    await limitGrowth(0);
    const unready = await app.call('GET', '/health/ready', { key: null });
    expect([unready.status, unready.body.checks.writes]).toEqual([503, 'failed']);
    expect(unready.body.problems).toEqual([expect.stringContaining('The database or its disk is full')]);
    const bodies = Array.from({ length: 20 }, () => {
      const event = checkoutCompleted({ externalId: 'payer' });
      return { ...event, padding: 'x'.repeat(20_000) };
    });
    const deliveriesBefore = (await count('deliveries')) ?? 0;
    const refused = await Promise.all(bodies.map((event) => stripe.deliver(event)));
    expect(refused.map(({ status }) => status)).toEqual(Array(bodies.length).fill(503));
    expect(await count('deliveries')).toBe(deliveriesBefore);
    expect((await app.call('GET', '/api/sales')).status).toBe(200);
    expect((await app.call('GET', '/health/live', { key: null })).status).toBe(200);

    await limitGrowth(null);
    const taken = await Promise.all(bodies.map((event) => stripe.deliver(event)));
    expect(taken.map(({ status, body }) => `${status} ${body.outcome}`)).toEqual(Array(bodies.length).fill('200 sale'));
    expect((await reportSale(unique('inv'))).status).toBe(200);
  });

  it('is reported as soon as a delivery does not fit, although something small would', async () => {
    await limitGrowth(20);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 503 && statuses.length < 10) {
      const event = { ...checkoutCompleted({ externalId: 'payer' }), padding: 'x'.repeat(60_000) };
      statuses.push((await stripe.deliver(event)).status);
    }
    expect(statuses.at(-1)).toBe(503);
    expect(await createWriteProbe(app.service)()).toContain('The database or its disk is full');
    await limitGrowth(null);
    expect(await createWriteProbe(app.service)()).toBe(null);
  });
});
