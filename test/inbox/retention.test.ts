import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/app/service.ts';
import type { DeliveryResult } from '../../src/core/delivery.ts';
import { createId, idsFrom } from '../../src/ids.ts';
import { attemptAgain, getStoredDelivery } from '../../src/inbox/attempts.ts';
import { deleteOldBodies } from '../../src/inbox/retention.ts';
import type { Unit } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { failingFor } from '../helpers/failing-account.ts';
import { countingRead } from './count-read.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const PROCESSED: DeliveryResult = {
  status: 'processed',
  outcome: 'noted',
  reason: null,
  saleId: null,
  attempts: 2,
  nextAttemptAt: null,
};

const ROWS_PER_STATEMENT = 2_000;
const STORE_MANY = `
  WITH RECURSIVE numbers (n) AS (SELECT CAST(@from AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < @to)
  INSERT INTO deliveries (id, account_id, endpoint_id, processor, delivery_key, status, outcome, attempts,
    received_at, headers, body)
  SELECT @prefix || (100000 + n), @accountId, 'whe_1', 'stripe', @prefix || n, @status, 'sale', 1, @receivedAt, '{}', @body
  FROM numbers`;

describe.each(engines)('bodies of stored deliveries, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW, deliveryRetentionDays: 90 } });
    await app.service.database.write((tx) =>
      tx.run(
        `INSERT INTO webhook_endpoints (id, account_id, program_id, processor, created_at)
         VALUES ('whe_1', @accountId, @programId, 'stripe', 0)`,
        { accountId: app.accountId, programId: app.programId },
      ),
    );
  });
  beforeEach(async () => {
    for (const table of ['deliveries', 'job_cursors']) {
      await app.service.database.write((tx) => tx.run(`DELETE FROM ${table}`));
    }
  });
  afterAll(() => app.close());

  async function store(key: string, status: string, ageDays: number, body = '{}'): Promise<string> {
    // as if created at that time
    const id = idsFrom('dlv', NOW - ageDays * DAY_MS) + createId('dlv').slice('dlv_'.length + 12);
    await app.service.database.write((tx) =>
      tx.run(
        `INSERT INTO deliveries (id, account_id, endpoint_id, processor, delivery_key, status, outcome, attempts,
           received_at, headers, body)
         VALUES (@id, @accountId, 'whe_1', 'stripe', @key, @status, 'sale', 1, @receivedAt, '{}', @body)`,
        {
          ...{ id, accountId: app.accountId, key, status },
          receivedAt: NOW - ageDays * DAY_MS,
          body: Buffer.from(body),
        },
      ),
    );
    return id;
  }
  /** Deliveries of this age, by default processed ones whose bodies are gone. */
  async function storeMany(
    count: number,
    ageDays: number,
    { status = 'processed', body = null as string | null } = {},
  ) {
    const receivedAt = NOW - ageDays * DAY_MS;
    const common = { accountId: app.accountId, prefix: idsFrom('dlv', receivedAt), receivedAt, status };
    // one statement of all would not always end within PostgreSQL's time limit
    for (let from = 1; from <= count; from += ROWS_PER_STATEMENT) {
      const to = Math.min(count, from + ROWS_PER_STATEMENT - 1);
      const stored = { ...common, from, to, body: body === null ? null : Buffer.from(body) };
      await app.service.database.write((tx) => tx.run(STORE_MANY, stored));
    }
  }
  async function idOf(key: string): Promise<string> {
    const sql = 'SELECT id FROM deliveries WHERE delivery_key = @key';
    const row = await app.service.database.read((tx) => tx.get<{ id: string }>(sql, { key }));
    return row?.id ?? '';
  }
  const keysWithBody = async () => {
    const rows = await app.service.database.read((tx) =>
      tx.all<{ key: string }>(
        'SELECT delivery_key AS "key" FROM deliveries WHERE body IS NOT NULL ORDER BY delivery_key',
      ),
    );
    return rows.map(({ key }) => key);
  };
  /** The same database after a restart with this setting, this many days later. */
  const restarted = (deliveryRetentionDays: number, daysLater = 0): Service =>
    createService({ ...app.service, deliveryRetentionDays, clock: () => NOW + daysLater * DAY_MS });
  async function succeed(id: string): Promise<void> {
    const { database } = app.service;
    await attemptAgain(
      database,
      await getStoredDelivery(database, app.accountId, id),
      { now: NOW, dueAt: null },
      async () => PROCESSED,
    );
  }

  it('are deleted too if they were stored after the clock was ahead while old ones were deleted', async () => {
    await store('ahead', 'processed', -1);
    const now = { ms: NOW + 92 * DAY_MS };
    const service = createService({ ...app.service, clock: () => now.ms });
    expect(await deleteOldBodies(service)).toBe(1);
    now.ms = NOW;
    await store('today', 'processed', 0);
    expect(await deleteOldBodies(service)).toBe(0);
    now.ms = NOW + 91 * DAY_MS;
    expect(await deleteOldBodies(service)).toBe(1);
    expect(await keysWithBody()).toEqual([]);
  });

  it('are deleted after the retention time, but only those of processed deliveries', async () => {
    await storeMany(450, 91, { body: '{}' });
    await store('failed', 'failed', 91);
    await store('young', 'processed', 89);

    expect(await deleteOldBodies(restarted(0))).toBe(0);
    expect(await deleteOldBodies(app.service)).toBe(450);
    expect(await keysWithBody()).toEqual(['failed', 'young']);
    expect(await deleteOldBodies(app.service)).toBe(0);
    await store('late', 'processed', 90.5);
    expect(await deleteOldBodies(app.service)).toBe(1);
  });

  it('are not searched again after a restart', async () => {
    await store('old', 'processed', 91);
    expect(await deleteOldBodies(app.service)).toBe(1);
    await store('behind the cursor', 'processed', 92);
    expect(await deleteOldBodies(restarted(90))).toBe(0);
  });

  it.each(['failed', 'dead'])('of a %s delivery are deleted once it is finally processed', async (status) => {
    const id = await store('retried', status, 100);
    await store('old', 'processed', 91);
    expect(await deleteOldBodies(app.service)).toBe(1);
    expect(await keysWithBody()).toEqual(['retried']);
    await succeed(id);
    expect(await keysWithBody()).toEqual(['retried']);
    expect(await deleteOldBodies(restarted(90))).toBe(1);
    expect(await keysWithBody()).toEqual([]);
  });

  it('are kept for the longer time after the setting has been raised', async () => {
    const id = await store('retried', 'failed', 100);
    await store('between', 'processed', 95);
    await store('young', 'processed', 89);
    expect(await deleteOldBodies(app.service)).toBe(1);
    await succeed(id);
    expect(await deleteOldBodies(restarted(120))).toBe(0);
    expect(await keysWithBody()).toEqual(['retried', 'young']);
    expect(await deleteOldBodies(restarted(120, 25))).toBe(1);
    expect(await keysWithBody()).toEqual(['young']);
    expect(await deleteOldBodies(restarted(120, 32))).toBe(1);
  });

  it('are kept while the setting is 0, and deleted once it no longer is', async () => {
    const id = await store('retried', 'failed', 100);
    expect(await deleteOldBodies(app.service)).toBe(0);
    await succeed(id);
    await store('new', 'processed', 1);
    expect(await deleteOldBodies(restarted(0, 100))).toBe(0);
    expect(await keysWithBody()).toEqual(['new', 'retried']);
    expect(await deleteOldBodies(restarted(90, 100))).toBe(2);
  });

  it('are deleted in units of little data, however large a body is', async () => {
    // creates the cursor
    expect(await deleteOldBodies(app.service)).toBe(0);
    for (let count = 0; count < 4; count++) await store(`large-${count}`, 'processed', 91, 'x'.repeat(300 * 1024));
    for (let count = 0; count < 50; count++) await store(`small-${count}`, 'processed', 90.5);
    const deleted: number[] = [];
    const { database } = app.service;
    const write = async <T>(unit: Unit<T>) => {
      const result = await database.write(unit);
      if (typeof result === 'number') deleted.push(result);
      return result;
    };
    expect(await deleteOldBodies(createService({ ...app.service, database: { ...database, write } }))).toBe(54);
    expect(deleted.filter((count) => count > 0)).toEqual([1, 1, 1, 51]);
  });

  it('are found behind thousands of deliveries that have none, in few steps', async () => {
    await storeMany(12_000, 200);
    await store('failed', 'failed', 150);
    await storeMany(3_000, 140);
    await store('old', 'processed', 100);
    await storeMany(20, 95);
    await store('young', 'processed', 80);
    const { database } = app.service;
    let units = 0;
    const write: typeof database.write = (unit, options) => {
      units += 1;
      return database.write(unit, options);
    };
    expect(await deleteOldBodies(createService({ ...app.service, database: { ...database, write } }))).toBe(1);
    expect(await keysWithBody()).toEqual(['failed', 'young']);
    // the new cursor, 12,000 in three steps, the failed one with 249 others, 2,751 more, the old one with the last 20
    expect(units).toBe(7);
    expect(await deleteOldBodies(app.service)).toBe(0);
    await succeed(await idOf('failed'));
    expect(await deleteOldBodies(app.service)).toBe(1);
  });

  it('are not searched again and again where they are kept', async () => {
    await storeMany(3_000, 200, { status: 'dead', body: '{}' });
    const { service, read } = countingRead(app.service);
    expect(await deleteOldBodies(service)).toBe(0);
    // each unit reads its deliveries, after a look at as many
    expect(read()).toBe(2 * 3_000);
  });

  it('are not deleted further when the service stops, until the next start', async () => {
    await store('old', 'processed', 91);
    expect(await deleteOldBodies(createService({ ...app.service, lifecycle: { draining: true } }))).toBe(0);
    expect(await deleteOldBodies(restarted(90))).toBe(1);
  });

  it('are deleted in the other accounts when one cannot be read', async () => {
    await store('old', 'processed', 91);
    const { accountId } = await app.addAccount('Other Ltd');
    await store('of another account', 'processed', 91);
    await app.service.database.write((tx) =>
      tx.run("UPDATE deliveries SET account_id = @accountId WHERE delivery_key = 'of another account'", { accountId }),
    );
    await expect(deleteOldBodies(failingFor(app.service, app.accountId))).rejects.toThrow('too long');
    expect(await keysWithBody()).toEqual(['old']);
  });

  it('are deleted by one of two processes that run at the same time', async () => {
    await storeMany(600, 91, { body: '{}' });
    const counts = await Promise.all([deleteOldBodies(restarted(90)), deleteOldBodies(restarted(90))]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(600);
    expect(await keysWithBody()).toEqual([]);
  });
});
