import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { createId, idsFrom } from '../../src/ids.ts';
import { createRetention } from '../../src/inbox/retention.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

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
  afterAll(() => app.close());

  const store = (key: string, status: string, ageDays: number) =>
    app.service.database.write((tx) =>
      tx.run(
        `INSERT INTO deliveries (id, account_id, endpoint_id, processor, delivery_key, status, outcome, attempts,
           received_at, headers, body)
         VALUES (@id, @accountId, 'whe_1', 'stripe', @key, @status, 'sale', 1, @receivedAt, '{}', @body)`,
        {
          // as if created at that time
          id: idsFrom('dlv', NOW - ageDays * DAY_MS) + createId('dlv').slice('dlv_'.length + 12),
          accountId: app.accountId,
          key,
          status,
          receivedAt: NOW - ageDays * DAY_MS,
          body: Buffer.from('{}'),
        },
      ),
    );
  const keysWithBody = async () => {
    const rows = await app.service.database.read((tx) =>
      tx.all<{ key: string }>(
        'SELECT delivery_key AS "key" FROM deliveries WHERE body IS NOT NULL ORDER BY delivery_key',
      ),
    );
    return rows.map(({ key }) => key);
  };

  it('are deleted after the retention time, but only those of processed deliveries', async () => {
    for (let count = 0; count < 450; count++) await store(`old-${count}`, 'processed', 91);
    await store('failed', 'failed', 91);
    await store('young', 'processed', 89);

    expect(await createRetention(createService({ ...app.service, deliveryRetentionDays: 0 })).deleteOldBodies()).toBe(
      0,
    );
    const retention = createRetention(app.service);
    expect(await retention.deleteOldBodies()).toBe(450);
    expect(await keysWithBody()).toEqual(['failed', 'young']);
    expect(await retention.deleteOldBodies()).toBe(0);
    await store('late', 'processed', 90.5);
    expect(await retention.deleteOldBodies()).toBe(1);
  });
});
