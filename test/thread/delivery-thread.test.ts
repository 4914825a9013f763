import type { Worker } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { DeliveryJob } from '../../src/core/delivery.ts';
import type { Fact } from '../../src/core/facts.ts';
import { storeDelivery } from '../../src/deliveries/store.ts';
import type { ServiceError } from '../../src/errors.ts';
import { setIdClock } from '../../src/ids.ts';
import { openDatabase, sqlitePathOf } from '../../src/storage/open.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from '../../src/storage/sqlite/write-lock.ts';
import { type DeliveryThread, startDeliveryThread } from '../../src/thread/start.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { paymentJob } from '../helpers/delivery-job.ts';
import { hints, refunded } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';

/** The started threads, to terminate them from outside. */
const workers: Worker[] = [];
vi.mock('node:worker_threads', async (original) => {
  const actual = await original<typeof import('node:worker_threads')>();
  class Watched extends actual.Worker {
    constructor(...parameters: ConstructorParameters<typeof Worker>) {
      super(...parameters);
      workers.push(this);
    }
  }
  return { ...actual, Worker: Watched };
});

describe('the thread that stores deliveries', () => {
  let app: TestApp;
  let endpointId: string;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let thread: DeliveryThread;
  let storedHere: number;
  let clickId: string;

  beforeEach(async () => {
    workers.length = 0;
    storedHere = 0;
    app = await createTestApp('sqlite');
    const referrer = await createReferrer(app);
    clickId = await referrer.lead('payer');
    endpointId = (await createEndpoint(app, 'stripe')).id;
    const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
    database = await openDatabase(app.databaseUrl, { sqlite: { writeLock } });
    thread = startDeliveryThread({
      databaseUrl: app.databaseUrl,
      writeLock,
      storeHere: (job) => {
        storedHere += 1;
        return storeDelivery(database, job);
      },
      log: pino({ level: 'silent' }),
    });
    await untilReady();
  });
  afterEach(async () => {
    await thread.close();
    await database.close();
    await app.close();
  });

  /** Settles when the thread is ready: when the second of two concurrent deliveries is not stored on the main thread. */
  async function untilReady(): Promise<void> {
    for (;;) {
      storedHere = 0;
      await Promise.all([thread.store(payment()), thread.store(payment())]);
      if (storedHere < 2) break;
    }
    storedHere = 0;
  }

  function payment(invoice = unique('in'), failure: string | null = null): DeliveryJob {
    return paymentJob({ accountId: app.accountId, endpointId: asId(endpointId) }, invoice, failure);
  }

  async function count(table: 'sales' | 'deliveries', condition = '1 = 1'): Promise<number> {
    const row = await app.service.database.read((tx) =>
      tx.get<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table} WHERE ${condition}`),
    );
    return row?.count ?? 0;
  }

  it('stores concurrent deliveries, each once, with the received bytes', async () => {
    const before = await count('sales');
    const jobs = Array.from({ length: 200 }, () => payment());
    const answers = await Promise.all([...jobs, ...jobs].map((job) => thread.store(job)));
    const outcomes = answers.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array(200).fill('duplicate'), ...Array(200).fill('sale')]);
    expect(storedHere).toBe(0);
    expect((await count('sales')) - before).toBe(200);
    const rows = await app.service.database.read((tx) =>
      tx.all<{ deliveryKey: string; body: Buffer }>('SELECT delivery_key AS "deliveryKey", body FROM deliveries'),
    );
    for (const { deliveryKey, body } of rows) expect(body.toString()).toBe(`{"id":"${deliveryKey}"}`);
  });

  it('creates ids that sort after those of the main thread, although the clock was set back by seconds meanwhile', async () => {
    setIdClock(() => Date.now() + 30_000);
    onTestFinished(() => setIdClock(systemClock));
    await storeDelivery(database, payment());
    const last = await app.service.database.read((tx) => tx.get<{ id: string }>('SELECT MAX(id) AS id FROM sales'));
    setIdClock(systemClock);
    await Promise.all([thread.store(payment()), thread.store(payment())]);
    expect(storedHere).toBe(0);
    await storeDelivery(database, payment());
    expect(await count('sales', `id > '${last?.id}'`)).toBe(3);
  });

  it('leaves sequential deliveries to the main thread, once a burst is over', async () => {
    for (let round = 0; round < 12; round++) expect((await thread.store(payment())).outcome).toBe('sale');
    expect(storedHere).toBe(5);
    await Promise.all([thread.store(payment()), thread.store(payment())]);
    await thread.store(payment());
    expect(storedHere).toBe(6);
  });

  it('stores what takes long although it arrives alone: many facts, and the erasure of a person', async () => {
    const invoice = unique('in');
    for (let round = 0; round < 12; round++) await thread.store(payment(round === 0 ? invoice : undefined));
    const refunds = Array.from({ length: 40 }, (_, nth) =>
      refunded([invoice], { refundId: `re_${nth}`, amountMinor: 1 }, 'USD'),
    );
    const reporting = (...facts: Fact[]): DeliveryJob => ({
      ...payment(),
      interpreted: { interpretation: { kind: 'facts', facts }, failure: null },
    });
    expect(storedHere).toBe(5);
    expect((await thread.store(reporting(...refunds))).outcome).toBe('reversal');
    const customer = hints({ processorCustomerId: 'cus_payer' });
    expect((await thread.store(reporting({ kind: 'customer.erased', customer }))).reason).toBe('erased');
    expect(storedHere).toBe(5);
    const known = reporting(...refunds.slice(0, 3));
    expect((await thread.store(known)).outcome).toBe('duplicate');
    expect(storedHere).toBe(6);
  });

  it('stores a delivery as failed when its adapter failed', async () => {
    const answers = await Promise.all([payment(), payment(undefined, 'an adapter broke')].map(thread.store));
    expect(answers.map(({ outcome }) => outcome)).toEqual(['sale', 'failed']);
    expect(answers[1]?.reason).toBe('an adapter broke');
    expect(await count('deliveries', "status = 'failed' AND next_attempt_at IS NOT NULL")).toBe(1);
  });

  it("alternates with the main thread's writes: neither starves the other", async () => {
    const total = 1_500;
    let done = 0;
    const deliveries = (async () => {
      const connection = async () => {
        while (done < total) {
          done += 1;
          await thread.store(payment());
        }
      };
      await Promise.all(Array.from({ length: 16 }, connection));
    })();
    /** How many deliveries started while a write of the main thread was waiting. */
    const overtaken: number[] = [];
    while (done < total) {
      const before = done;
      await database.write((tx) => tx.run('UPDATE accounts SET name = name WHERE id = @id', { id: app.accountId }));
      overtaken.push(done - before);
    }
    await deliveries;
    expect(overtaken.length).toBeGreaterThan(10);
    expect(Math.max(...overtaken)).toBeLessThan(total / 2);
  });

  it('counts a payment once that is also reported to the main thread by API', async () => {
    const before = await count('sales');
    const invoices = Array.from({ length: 50 }, () => unique('in'));
    const byApi = (invoiceId: string) =>
      app.call('POST', '/api/track/sale', {
        body: { clickId, customerExternalId: 'payer', amount: 1_000, currency: 'usd', invoiceId },
      });
    const ends = await Promise.all(
      invoices.flatMap((invoice) => [
        byApi(invoice).then(({ status }) => status === 200),
        thread.store(payment(invoice)).then(({ outcome }) => outcome === 'sale'),
      ]),
    );
    expect(ends.filter(Boolean)).toHaveLength(50);
    expect((await count('sales')) - before).toBe(50);
  });

  it('answers UNAVAILABLE with a time to wait while another process locks the file, and stores nothing', async () => {
    const before = await count('deliveries');
    const locking = new BetterSqlite3(sqlitePathOf(app.databaseUrl) ?? '');
    locking.exec('BEGIN IMMEDIATE');
    const ends = await Promise.allSettled([thread.store(payment()), thread.store(payment()), thread.store(payment())]);
    locking.exec('ROLLBACK');
    locking.close();
    for (const end of ends) {
      expect(end.status).toBe('rejected');
      const error = (end as PromiseRejectedResult).reason as ServiceError;
      expect([error.code, error.status, error.retryAfterSeconds]).toEqual(['UNAVAILABLE', 503, 2]);
    }
    expect(await count('deliveries')).toBe(before);
    expect((await thread.store(payment())).outcome).toBe('sale');
  });

  it('may end at any moment: acknowledged deliveries are stored, and the main thread takes over', async () => {
    const before = await count('sales');
    const total = 600;
    let left = total;
    let acknowledged = 0;
    let refused = 0;
    const connection = async () => {
      while (left > 0) {
        left -= 1;
        if (left === total / 2) void workers[0]?.terminate();
        const job = payment();
        await thread.store(job).then(
          () => {
            acknowledged += 1;
          },
          async (error: ServiceError) => {
            expect(error.code).toBe('OUTCOME_UNKNOWN');
            refused += 1;
            // retries, as its processor would
            const again = await thread.store(job);
            expect(['sale', 'duplicate']).toContain(again.outcome);
            acknowledged += 1;
          },
        );
      }
    };
    await Promise.all(Array.from({ length: 16 }, connection));
    expect(acknowledged).toBe(total);
    expect(refused).toBeLessThanOrEqual(16);
    expect((await count('sales')) - before).toBe(total);
    expect(storedHere).toBeGreaterThan(total / 4);
  });

  it('closes after the work in flight', async () => {
    const before = await count('sales');
    const stored = Promise.all(Array.from({ length: 40 }, () => thread.store(payment())));
    await thread.close();
    expect((await stored).every(({ outcome }) => outcome === 'sale')).toBe(true);
    expect((await count('sales')) - before).toBe(40);
    expect((await thread.store(payment())).outcome).toBe('sale');
  });
});
