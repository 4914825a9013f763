import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/app/service.ts';
import { createId } from '../../src/ids.ts';
import { erasePartner } from '../../src/privacy/partners.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { observeQueries } from '../helpers/observe-queries.ts';
import { placesOf } from './places-of.ts';

const COUNT = 1_200;
const ENTRIES_PER_UNIT_MAX = 500;
/** Before every other id. */
const EARLY_ID = 'aud_0';

describe.each(engines)('erasing a partner whom more than a thousand entries of the audit log name, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  async function withEntries() {
    const { accountId, partnerId } = await createReferredAccount(app.service);
    const name = `Name of ${partnerId}`;
    const addEntry = (id: string) =>
      app.service.database.write((tx) =>
        tx.run(
          `INSERT INTO audit_log (id, account_id, actor_id, actor_name, action, resource_id, changes, created_at)
           VALUES (@id, @accountId, 'command line', 'Ada', 'partner.update', @partnerId, @changes, 1)`,
          { id, accountId, partnerId, changes: JSON.stringify({ name: { before: null, after: name } }) },
        ),
      );
    for (let nth = 0; nth < COUNT; nth += 1) await addEntry(createId('aud'));
    const places = async () => (await placesOf(app.service.database, name)).length;
    return { accountId, partnerId, addEntry, places };
  }

  /** The service, how many entries each of its units has erased, and what happens before a unit. */
  function counting(beforeUnit: (nth: number) => Promise<unknown> = async () => {}) {
    const erased: number[] = [];
    const observed = observeQueries(app.service, (sql) => {
      if (sql.startsWith('UPDATE audit_log')) erased.push((erased.pop() ?? 0) + 1);
    });
    const { database } = observed;
    const service: Service = createService({
      ...observed,
      database: {
        ...database,
        async write(unit, options) {
          await beforeUnit(erased.length);
          erased.push(0);
          return database.write(unit, options);
        },
      },
    });
    return { service, erased };
  }

  it('takes several units of work, so that other requests go on, and leaves nothing', async () => {
    const { accountId, partnerId, addEntry, places } = await withEntries();
    // by a process whose clock is behind
    const { service, erased } = counting(async (nth) => nth === 2 && addEntry(EARLY_ID));
    await erasePartner(service, accountId, partnerId);
    expect(Math.max(...erased)).toBeLessThanOrEqual(ENTRIES_PER_UNIT_MAX);
    expect(erased.reduce((sum, count) => sum + count)).toBe(COUNT + 1);
    expect(await places()).toBe(0);
  });

  it('may be repeated if it was interrupted: only then is the partner erased', async () => {
    const { accountId, partnerId, places } = await withEntries();
    const interrupted = new Error('interrupted');
    const { service } = counting(async (nth) => {
      if (nth === 1) throw interrupted;
    });
    const nameNow = async () =>
      await app.service.database.read((tx) => tx.get('SELECT name FROM partners WHERE id = @partnerId', { partnerId }));
    await expect(erasePartner(service, accountId, partnerId)).rejects.toBe(interrupted);
    expect([await nameNow(), await places()]).toEqual([{ name: 'Paula Partner' }, COUNT - ENTRIES_PER_UNIT_MAX]);
    await erasePartner(app.service, accountId, partnerId);
    expect([await nameNow(), await places()]).toEqual([{ name: 'Erased partner' }, 0]);
  });
});
