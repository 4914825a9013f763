import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { call } from '../helpers/app.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { type PostgresPair, startPostgresPair, untilRow } from '../helpers/postgres-pair.ts';
import { createPostgresProxy, type PostgresProxy } from '../helpers/postgres-proxy.ts';
import { databaseUrl, executeOnServer } from '../helpers/postgres-server.ts';
import { createTestService } from '../helpers/service.ts';
import { type ServingProcess, slowestAnswer, startServing } from '../helpers/serving-process.ts';
import { createReferrer, unique } from '../helpers/story.ts';

const CONNECTIONS = 8;
/** 100 ms on an idle machine; other tests at the same time may slow it down. */
const LIVE_MAX_MS = 400;
/** How long a request may wait for its answer, whatever happens to PostgreSQL. */
const ANSWER_MAX_MS = 15_000;

describe('PostgreSQL with a synchronous standby, under load', () => {
  let pair: PostgresPair;
  let urls: { primaryUrl: string; standbyUrl: string };
  /** The address of PostgreSQL, which an operator can move to another server. */
  let address: PostgresProxy;
  let serving: ServingProcess;
  let apiKey: string;
  let clickId: string;
  /** Every invoice that was answered with 200. */
  const acknowledged: string[] = [];

  beforeAll(async () => {
    pair = await startPostgresPair();
    urls = await pair.createDatabase('shop');
    const database = await openDatabase(urls.primaryUrl);
    ({ apiKey } = await createAccount(createTestService({ database }), { name: 'Example Ltd' }));
    await database.close();
    await executeOnServer(pair.primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await executeOnServer(pair.primary.url, 'SELECT pg_reload_conf()');
    await untilRow(pair.primary.url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    address = await createPostgresProxy(urls.primaryUrl);
    serving = await startServing(address.url);
    const { url } = serving;
    const referrer = await createReferrer({
      url,
      call: (method, path, options = {}) => call(url + path, method, { key: apiKey, ...options }),
    });
    clickId = await referrer.lead('payer');
  });
  afterAll(async () => {
    await serving.kill();
    await address.close();
    await pair.remove();
  });

  const sell = (invoiceId: string) =>
    call(`${serving.url}/api/track/sale`, 'POST', {
      key: apiKey,
      body: { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId },
      headers: { connection: 'close' },
    });

  /** Reports sales while `trouble` runs, until more are acknowledged; returns the statuses of all answers. */
  async function underLoad(trouble: () => Promise<void>): Promise<{ statuses: Set<number>; slowestLiveMs: number }> {
    const stopping = new AbortController();
    const statuses = new Set<number>();
    const slowest: number[] = [];
    const connection = async () => {
      while (!stopping.signal.aborted) {
        const invoice = unique('in');
        const ownMs = await startOwnTime();
        const { status } = await sell(invoice);
        slowest.push(ownMs());
        statuses.add(status);
        if (status === 200) acknowledged.push(invoice);
      }
    };
    const load = Promise.all(Array.from({ length: CONNECTIONS }, connection));
    const live = slowestAnswer(serving, stopping.signal);
    const goesOn = async () => {
      const enough = acknowledged.length + 40;
      while (acknowledged.length < enough) await Promise.race([load, sleep(10)]);
    };
    try {
      await goesOn();
      await trouble();
      await goesOn();
    } finally {
      stopping.abort();
      await load;
    }
    expect(Math.max(...slowest)).toBeLessThan(ANSWER_MAX_MS);
    return { statuses, slowestLiveMs: await live };
  }

  /** Every acknowledged sale is complete, with one entry and one payment. Other sales may be stored as well. */
  async function expectEachOnce(serverUrl: string): Promise<void> {
    const stored = (await executeOnServer(
      databaseUrl(serverUrl, 'shop'),
      `SELECT s.invoice_id AS invoice, CAST(COUNT(DISTINCT e.id) AS INTEGER) AS entries,
         CAST(COUNT(DISTINCT s.id) AS INTEGER) AS sales FROM sales s LEFT JOIN ledger_entries e ON e.sale_id = s.id
       GROUP BY s.invoice_id`,
    )) as { invoice: string; entries: number; sales: number }[];
    expect(stored.filter(({ entries, sales }) => entries !== 1 || sales !== 1)).toEqual([]);
    const invoices = new Set(stored.map(({ invoice }) => invoice));
    expect(acknowledged.filter((invoice) => !invoices.has(invoice))).toEqual([]);
    const [payments] = (await executeOnServer(
      databaseUrl(serverUrl, 'shop'),
      'SELECT CAST(COUNT(*) AS INTEGER) AS count FROM payments',
    )) as { count: number }[];
    expect(payments?.count).toBe(stored.length);
  }

  it('look-ups and lists leave a standby to which an address led before it moved to the primary', async () => {
    const name = await createPostgresProxy(urls.standbyUrl);
    const database = await openDatabase(name.url);
    const isStandby = (tx: Transaction) => tx.get('SELECT pg_is_in_recovery() AS standby');
    const places = () => Promise.all([database.read(isStandby), database.report(isStandby)]);
    expect(await places()).toEqual([{ standby: 1 }, { standby: 1 }]);
    name.leadTo(urls.primaryUrl);
    await expect.poll(places).toEqual([{ standby: 0 }, { standby: 0 }]);
    expect(await places()).toEqual([{ standby: 0 }, { standby: 0 }]);
    await database.close();
    await name.close();
  });

  it('an immediate restart loses nothing that was acknowledged, and the service continues by itself', async () => {
    const { statuses, slowestLiveMs } = await underLoad(async () => {
      // what `pg_ctl restart -m immediate` does
      await pair.primary.end('SIGQUIT');
      await pair.primary.start();
    });
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(slowestLiveMs).toBeLessThan(LIVE_MAX_MS);
    await expectEachOnce(pair.primary.url);
  });

  it('a primary that dies is replaced by its standby, which has every acknowledged sale once', async () => {
    const { statuses, slowestLiveMs } = await underLoad(async () => {
      await pair.primary.end('SIGKILL');
      await executeOnServer(pair.standby.url, 'SELECT pg_promote()');
      address.moveTo(urls.standbyUrl);
    });
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(slowestLiveMs).toBeLessThan(LIVE_MAX_MS);
    await expectEachOnce(pair.standby.url);
    // without a movable address: a restart with the other URL
    await serving.kill();
    serving = await startServing(urls.standbyUrl);
    const [known = ''] = acknowledged;
    expect((await sell(known)).body).toMatchObject({ error: { code: 'DUPLICATE_INVOICE' } });
    await expectEachOnce(pair.standby.url);
  });
});
