import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markOfProcessorId } from '../../src/app/person-marks.ts';
import { findMarked } from '../../src/inbox/marks.ts';
import { eraseCustomer } from '../../src/privacy/customers.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { observeQueries } from '../helpers/observe-queries.ts';

const COUNT = 700;
/** For the rest of the unit of work, which does not depend on how many ids there are. */
const OTHER_QUERIES_MAX = 60;

describe.each(engines)('a person under hundreds of ids of a processor, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const idOf = (nth: number) => ({ processor: 'stripe', kind: 'customer', value: `cus_${1_000 + nth}` });

  it('is erased with few queries, and is read twice only where another process may change what was read', async () => {
    const { accountId } = await createReferredAccount(app.service);
    await app.service.database.write(async (tx) => {
      for (let nth = 0; nth < COUNT; nth += 1) {
        await tx.run(
          `INSERT INTO identities (account_id, processor, kind, value, external_id, email_lower, name)
           VALUES (@accountId, @processor, @kind, @value, 'mia', 'mia@example.com', 'Mia')`,
          { accountId, ...idOf(nth) },
        );
      }
    });
    const queries: string[] = [];
    const service = observeQueries(app.service, (sql) => queries.push(sql));
    await eraseCustomer(service, accountId, 'mia');
    expect(queries.length).toBeLessThan(COUNT / 16 + OTHER_QUERIES_MAX);
    const ofPerson = queries.filter((sql) =>
      /SELECT .*email.* FROM identities\b.*external_id = @externalId/s.test(sql),
    );
    // one more before the unit of work, which finds out whether there is anybody
    expect(ofPerson).toHaveLength(engine === 'sqlite' ? 2 : 3);
    const named =
      'SELECT value FROM identities WHERE account_id = @accountId AND (email_lower IS NOT NULL OR name IS NOT NULL)';
    expect(await app.service.database.read((tx) => tx.all(named, { accountId }))).toEqual([]);
    const marks = Array.from({ length: COUNT }, (_, nth) => markOfProcessorId(accountId, idOf(nth)));
    const stored = await app.service.database.read((tx) => findMarked(tx, accountId, marks));
    expect(stored).toEqual(new Set(marks));
  });
});
