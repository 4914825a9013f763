import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { rounds } from '../helpers/rounds.ts';
import { startServing } from '../helpers/serving-process.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';

const ROUNDS = rounds(25);
const CONNECTIONS = 32;
/** When to kill: after this many acknowledgements plus a short delay, so that it may hit between any two steps. */
const ACKNOWLEDGED_MIN = 10;
const ACKNOWLEDGED_MAX = 60;
const LATER_MAX_MS = 20;

describe.each(engines)('a server that is killed under load, on %s', (engine) => {
  let app: TestApp;
  let stripe: EndpointUnderTest;
  let clickId: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    const referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    clickId = await referrer.lead('payer');
  });
  afterAll(() => app.close());

  /**
   * The traffic of one connection, alternating a sale by API and an invoice by webhook, until the server is killed. A 503
   * is not an acknowledgement: PostgreSQL may hold the locks of the killed server for a while.
   */
  async function reportUntilGone(
    url: string,
    connection: number,
    acknowledge: (invoice: string) => void,
  ): Promise<void> {
    for (let number = connection; ; number += 1) {
      const invoice = unique('in');
      const sale = { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId: invoice };
      const event = invoicePaid({ invoice, externalId: 'payer', subscription: 'sub_payer', amount: 1_000 });
      try {
        const answer = await (number % 2 === 0
          ? call(`${url}/api/track/sale`, 'POST', { key: app.apiKey, body: sale })
          : stripe.deliver(event, undefined, url));
        if (answer.status === 503) continue;
        if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
        acknowledge(invoice);
      } catch (error) {
        // fetch throws this when the connection ends before its answer
        if (error instanceof TypeError) return;
        throw error;
      }
    }
  }

  async function killedRound(): Promise<string[]> {
    const serving = await startServing(app.databaseUrl);
    const acknowledged: string[] = [];
    const lastBefore = randomInt(ACKNOWLEDGED_MIN, ACKNOWLEDGED_MAX);
    const enough = Promise.withResolvers<void>();
    const acknowledge = (invoice: string) => {
      acknowledged.push(invoice);
      if (acknowledged.length > lastBefore) enough.resolve();
    };
    const traffic = Array.from({ length: CONNECTIONS }, (_, connection) =>
      reportUntilGone(serving.url, connection, acknowledge),
    );
    await enough.promise;
    await sleep(randomInt(LATER_MAX_MS));
    await serving.kill();
    await Promise.all(traffic);
    return acknowledged;
  }

  async function storedInvoices(): Promise<Set<string>> {
    const rows = await app.service.database.read((tx) =>
      tx.all<{ invoiceId: string; entries: number }>(
        `SELECT s.invoice_id AS "invoiceId", COUNT(e.id) AS entries
         FROM sales s LEFT JOIN ledger_entries e ON e.sale_id = s.id GROUP BY s.invoice_id`,
      ),
    );
    expect(rows.filter(({ entries }) => entries !== 1)).toEqual([]);
    return new Set(rows.map(({ invoiceId }) => invoiceId));
  }

  it(`has kept every sale that it acknowledged, ${ROUNDS} times over ${CONNECTIONS} connections`, async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) acknowledged.push(...(await killedRound()));
    const stored = await storedInvoices();
    expect(acknowledged.filter((invoice) => !stored.has(invoice))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(ROUNDS * ACKNOWLEDGED_MIN);
    const { body } = await app.call('GET', '/api/deliveries?status=failed');
    expect(body.data).toEqual([]);
    if (engine === 'sqlite') expectIntegrity(new URL(app.databaseUrl).pathname);
  });
});

/** SQLite's file is as the killed process left it; PostgreSQL is another process, which kept running. */
function expectIntegrity(path: string): void {
  const database = new BetterSqlite3(path, { readonly: true });
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(database.pragma('foreign_key_check')).toEqual([]);
  database.close();
}
