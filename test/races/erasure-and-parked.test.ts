import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimKeys } from '../../src/app/claims.ts';
import { createService } from '../../src/app/service.ts';
import { eraseRemaining } from '../../src/payments/erasure/erase-rest.ts';
import { extendRest, PARKED } from '../../src/payments/erasure/rest-places.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';
import { placesOf } from '../privacy/places-of.ts';

/** More than a unit of work erases. */
const PARKED_COUNT = 60;

/** SQLite runs one unit after the other. */
const CONCURRENT = engines.filter((engine) => engine === 'postgres');

const AWAITED = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Whether another unit waits for a claim. */
const isAwaited = async (url: string) => (await executeOnServer(url, AWAITED)).length > 0;

describe.each(CONCURRENT)('two erasures with a parked payment in common, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it('do not wait for each other: one that has claimed the payment can schedule what it leaves', async () => {
    const { database } = app.service;
    const { accountId } = await createReferredAccount(app.service);
    for (let nth = 0; nth < PARKED_COUNT; nth += 1) {
      await applyFacts(app.service, accountId, received([`in_${nth}`], hints({ externalId: 'mia', name: 'Mia K.' })));
    }
    const stopping = createService({ ...app.service, lifecycle: { draining: true } });
    await expect(eraseCustomer(stopping, accountId, 'mia')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const sql = 'SELECT id FROM payments WHERE account_id = @accountId ORDER BY id LIMIT 1';
    const payment = await database.read((tx) => tx.get<{ id: string }>(sql, { accountId }));

    const hasClaimed = Promise.withResolvers<void>();
    const other = database.write(
      async (tx) => {
        await tx.claim(() => [claimKeys.payment(payment?.id ?? '')]);
        hasClaimed.resolve();
        while (!(await isAwaited(app.databaseUrl)));
        await extendRest(tx, accountId, [PARKED]);
      },
      { alone: true },
    );
    await hasClaimed.promise;
    let units = 0;
    const write: typeof database.write = (unit, options) =>
      database.write((tx) => {
        units += 1;
        return unit(tx);
      }, options);
    await Promise.all([other, eraseRemaining(createService({ ...app.service, database: { ...database, write } }))]);
    // the first finds that the other has scheduled more; each would begin again if the two had waited for each other
    expect(units).toBe(3);
    expect(await placesOf(database, 'Mia K.')).toEqual([]);
  });
});
