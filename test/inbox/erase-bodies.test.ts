import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { markOf } from '../../src/app/person-marks.ts';
import { createService } from '../../src/app/service.ts';
import { createId, idsFrom } from '../../src/ids.ts';
import { eraseBodiesOf, eraseMentions } from '../../src/inbox/erase-bodies.ts';
import { addMark } from '../../src/inbox/marks.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { countingRead } from './count-read.ts';

const DAY_MS = 86_400_000;
const MINUTE_DAYS = 1 / 1_440;
const NOW = Date.UTC(2026, 5, 1);

describe.each(engines)('the scan of bodies for erased persons, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
    await app.service.database.write((tx) =>
      tx.run(
        `INSERT INTO webhook_endpoints (id, account_id, program_id, processor, created_at)
         VALUES ('whe_1', @accountId, @programId, 'stripe', 0)`,
        { accountId: app.accountId, programId: app.programId },
      ),
    );
  });
  beforeEach(async () => {
    for (const table of ['deliveries', 'job_cursors', 'erasure_marks']) {
      await app.service.database.write((tx) => tx.run(`DELETE FROM ${table}`));
    }
  });
  afterAll(() => app.close());

  /** As many deliveries of this age, numbered; without a person, their bodies are gone. */
  const store = (
    key: string,
    ageDays: number,
    { count = 1, person = null as string | null, status = 'processed' } = {},
  ) => {
    const receivedAt = Math.round(NOW - ageDays * DAY_MS);
    return app.service.database.write((tx) =>
      tx.run(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < @count)
         INSERT INTO deliveries (id, account_id, endpoint_id, processor, delivery_key, status, outcome, attempts,
           received_at, headers, body)
         SELECT @prefix || (100000 + n), @accountId, 'whe_1', 'stripe', @key || n, @status, 'sale', 1, @receivedAt, '{}',
           @body FROM numbers`,
        {
          ...{ key, count, status, accountId: app.accountId, receivedAt },
          prefix: idsFrom('dlv', receivedAt) + createId('dlv').slice('dlv_'.length + 12),
          body: person === null ? null : Buffer.from(JSON.stringify({ email: person })),
        },
      ),
    );
  };
  const mark = (person: string) =>
    app.service.database.write((tx) => addMark(tx, app.accountId, markOf(app.accountId, 'email', person), NOW));
  const start = () => app.service.database.write((tx) => eraseBodiesOf(tx, app.accountId, []));
  async function keysWithBody() {
    const sql = 'SELECT delivery_key AS "key" FROM deliveries WHERE body IS NOT NULL ORDER BY id';
    return (await app.service.database.read((tx) => tx.all<{ key: string }>(sql))).map(({ key }) => key);
  }
  /** Scans, and counts the units; `afterUnit` is called with their number. */
  async function scan(afterUnit: (number: number) => Promise<void> = async () => undefined) {
    const { database } = app.service;
    let units = 0;
    const write: typeof database.write = async (unit, options) => {
      const result = await database.write(unit, options);
      units += 1;
      await afterUnit(units);
      return result;
    };
    const progress = await eraseMentions(createService({ ...app.service, database: { ...database, write } }));
    return { ...progress, units };
  }

  it('passes thousands of deliveries without bodies in few steps, and no body', async () => {
    await store('before', 300, { count: 12_000 });
    await store('erased', 200, { person: 'mia@example.com' });
    await store('between', 150, { count: 3_000 });
    await store('failed', 140, { person: 'mia@example.com', status: 'failed' });
    await store('after', 130, { count: 6_000 });
    await store('other', 120, { person: 'zoe@example.com' });
    await store('last', 110, { person: 'mia@example.com' });
    await mark('mia@example.com');
    await start();
    const startedAt = performance.now();
    const { looked, erased, units } = await scan();
    // it took more than ten when the time grew with the square of the deliveries in a step
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect([looked, erased]).toEqual([12_000 + 1 + 3_000 + 1 + 6_000 + 2, 2]);
    expect(units).toBeLessThan(12);
    expect(await keysWithBody()).toEqual(['failed1', 'other1']);
  });

  it('does not read deliveries again and again that are not processed yet', async () => {
    await store('failed', 200, { count: 3_000, person: 'mia@example.com', status: 'failed' });
    await start();
    const { service, read } = countingRead(app.service);
    expect(await eraseMentions(service)).toEqual({ looked: 3_000, erased: 0 });
    // each unit reads its deliveries, after a look at as many
    expect(read()).toBe(2 * 3_000);
  });

  // a SQLite file has one server
  if (engine === 'postgres') {
    it('finds what is stored later by a process whose clock is minutes behind', async () => {
      await store('seen', 2 * MINUTE_DAYS, { person: 'zoe@example.com' });
      await mark('mia@example.com');
      await start();
      await scan();
      await store('behind', 5 * MINUTE_DAYS, { person: 'mia@example.com' });
      await eraseMentions(createService({ ...app.service, clock: () => NOW + DAY_MS }));
      expect(await keysWithBody()).toEqual(['seen1']);
    });
  }

  it('finds what is stored after the clock was ahead while it ran', async () => {
    await store('ahead', -1);
    await mark('mia@example.com');
    await start();
    await eraseMentions(createService({ ...app.service, clock: () => NOW + 2 * DAY_MS }));
    await store('later', 20 * MINUTE_DAYS, { person: 'mia@example.com' });
    await scan();
    expect(await keysWithBody()).toEqual([]);
  });

  it('finds a person who was erased meanwhile by a server that restarts it without another id', async () => {
    await store('early', 300, { person: 'mia@example.com' });
    await store('between', 200, { count: 250 });
    await store('late', 100, { person: 'zoe@example.com' });
    await mark('mia@example.com');
    await start();
    await scan(async (number) => {
      if (number !== 2) return;
      await mark('zoe@example.com');
      await app.service.database.write((tx) => tx.run(`UPDATE job_cursors SET last_id = 'dlv_'`));
    });
    expect(await keysWithBody()).toEqual([]);
  });
});
