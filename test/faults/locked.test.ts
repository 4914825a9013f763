import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/open.ts';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { createPostgresProxy, type PostgresProxy } from '../helpers/postgres-proxy.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';
import { type ServingProcess, slowestAnswer, startServing } from '../helpers/serving-process.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';

/** 100 ms on an idle machine; other tests at the same time may slow it down. */
const LIVE_MAX_MS = 400;

const CONNECTIONS = 8;

/** The answers, by invoice. */
type Answers = Map<string, number>;

const acceptedOf = (answers: Answers) =>
  [...answers].filter(([, status]) => status === 200).map(([invoice]) => invoice);

const refusedCount = (answers: Answers) => [...answers.values()].filter((status) => status === 503).length;

describe('a database that is locked or unreachable for a while', () => {
  let app: TestApp;
  let serving: ServingProcess;
  let proxy: PostgresProxy | undefined;
  let stripe: EndpointUnderTest;
  let clickId: string;

  async function start(engine: 'sqlite' | 'postgres', connect: (url: string) => Promise<string>): Promise<void> {
    app = await createTestApp(engine);
    const referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    clickId = await referrer.lead('payer');
    serving = await startServing(await connect(app.databaseUrl));
  }
  beforeEach(() => {
    proxy = undefined;
  });
  afterEach(async () => {
    await serving.kill();
    await proxy?.close();
    await app.close();
  });

  /** Sends sales by API and by webhook over several connections until `signal`, and adds each answer to `answers`. */
  async function traffic(answers: Answers, signal: AbortSignal): Promise<void> {
    const connection = async (byApi: boolean) => {
      while (!signal.aborted) {
        const invoice = unique('in');
        const sale = { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId: invoice };
        const event = invoicePaid({ invoice, externalId: 'payer', subscription: 'sub_payer', amount: 1_000 });
        const { status, headers } = await (byApi
          ? call(`${serving.url}/api/track/sale`, 'POST', { key: app.apiKey, body: sale })
          : stripe.deliver(event, undefined, serving.url));
        answers.set(invoice, status);
        if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => connection(index % 2 === 0)));
  }

  /**
   * Runs `trouble` under load; returns the answers, and the slowest answer of `/health/live` meanwhile.
   *
   * @param trouble may wait with `allRefused` until as many requests are refused as are sent at once
   */
  async function underLoad(
    trouble: (allRefused: () => Promise<void>) => Promise<void>,
  ): Promise<{ answers: Answers; slowestMs: number }> {
    const stopping = new AbortController();
    const answers: Answers = new Map();
    const load = traffic(answers, stopping.signal);
    const live = slowestAnswer(serving, stopping.signal);
    /** Waits until this many more are accepted. */
    const goesOn = async (count: number) => {
      const enough = acceptedOf(answers).length + count;
      while (acceptedOf(answers).length < enough) await Promise.race([load, sleep(10)]);
    };
    const allRefused = async () => {
      while (refusedCount(answers) < CONNECTIONS) await Promise.race([load, sleep(10)]);
    };
    try {
      await goesOn(10);
      await trouble(allRefused);
      await goesOn(30);
    } finally {
      stopping.abort();
    }
    await load;
    return { answers, slowestMs: await live };
  }

  /**
   * Each accepted sale is complete, with its one entry. A refused sale may exist if its connection broke during COMMIT.
   */
  async function expectNothingLost(answers: Answers, refusedMayBeStored: boolean): Promise<void> {
    const database = await openDatabase(app.databaseUrl);
    const rows = await database.read((tx) =>
      tx.all<{ invoiceId: string; entries: number }>(
        `SELECT s.invoice_id AS "invoiceId", COUNT(e.id) AS entries
         FROM sales s LEFT JOIN ledger_entries e ON e.sale_id = s.id GROUP BY s.invoice_id`,
      ),
    );
    const parts = await database.read((tx) =>
      tx.get<{ sales: number; entries: number; payments: number }>(
        `SELECT (SELECT COUNT(*) FROM sales) AS sales, (SELECT COUNT(*) FROM ledger_entries) AS entries,
           (SELECT COUNT(*) FROM payments) AS payments`,
      ),
    );
    await database.close();
    expect(rows.filter(({ entries }) => entries !== 1)).toEqual([]);
    expect(parts).toEqual({ sales: rows.length, entries: rows.length, payments: rows.length });
    const stored = new Set(rows.map(({ invoiceId }) => invoiceId));
    const accepted = acceptedOf(answers);
    expect(accepted.filter((invoice) => !stored.has(invoice))).toEqual([]);
    if (!refusedMayBeStored) expect([...stored].sort()).toEqual(accepted.sort());
  }

  it('SQLite locked by another connection: 503 with Retry-After, alive throughout, nothing lost', async () => {
    await start('sqlite', async (url) => url);
    const { answers, slowestMs } = await underLoad(async (allRefused) => {
      const other = new BetterSqlite3(new URL(app.databaseUrl).pathname, { timeout: 1_000 });
      other.exec('BEGIN IMMEDIATE');
      await allRefused();
      other.exec('ROLLBACK');
      other.close();
    });
    expect(new Set(answers.values())).toEqual(new Set([200, 503]));
    expect(slowestMs).toBeLessThan(LIVE_MAX_MS);
    await expectNothingLost(answers, false);
  });

  it('PostgreSQL whose connections are repeatedly cut under load: nothing lost, nothing half-done', async () => {
    await start('postgres', async (url) => url);
    const { answers, slowestMs } = await underLoad(async () => {
      for (let round = 0; round < 10; round += 1) {
        await executeOnServer(
          app.databaseUrl,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        );
        await sleep(100);
      }
    });
    expect([...answers.values()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(acceptedOf(answers).length).toBeGreaterThan(20);
    expect(slowestMs).toBeLessThan(LIVE_MAX_MS);
    await expectNothingLost(answers, true);
  });

  it('PostgreSQL that cannot be reached: 503 with Retry-After, alive throughout, and then recovers', async () => {
    await start('postgres', async (url) => {
      proxy = await createPostgresProxy(url);
      return proxy.url;
    });
    const { answers, slowestMs } = await underLoad(async (allRefused) => {
      proxy?.breakAll();
      await allRefused();
      proxy?.mend();
    });
    expect(new Set(answers.values())).toEqual(new Set([200, 503]));
    expect(slowestMs).toBeLessThan(LIVE_MAX_MS);
    await expectNothingLost(answers, true);
    const sale = { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId: unique('in') };
    expect((await call(`${serving.url}/api/track/sale`, 'POST', { key: app.apiKey, body: sale })).status).toBe(200);
  });
});
