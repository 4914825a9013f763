import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTRIBUTED_PER_UNIT } from '../../src/payments/due.ts';
import { findKnownOfNew, findParkedByEmail } from '../../src/payments/parked-for.ts';
import { findDue } from '../../src/payments/queries/parked-hints.ts';
import type { SqlParameters, Transaction } from '../../src/storage/database.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';

const PAYMENTS = 560;
const IDS = 130;
const MORE_IDS = 2_100;
const PART_MAX = 500;

describe.each(engines)('hundreds of parked payments of a person, on %s', (engine) => {
  let app: TestApp;
  let account: ReferredAccount;
  let parked: string[];
  const read = <Row>(sql: string) =>
    app.service.database.read((tx) => tx.all<Row>(sql, { accountId: account.accountId }));

  beforeAll(async () => {
    app = await createTestApp(engine);
    account = await createReferredAccount(app.service);
    const person = { externalId: 'mia', email: 'mia@example.com' };
    const numbers = Array.from({ length: PAYMENTS }, (_, nth) => nth);
    for (let start = 0; start < PAYMENTS; start += IDS) {
      const facts = numbers.slice(start, start + IDS).map((nth) => {
        return received([`in_${nth}`], hints({ ...person, processorCustomerId: `cus_${nth % IDS}` }));
      });
      await applyFacts(app.service, account.accountId, ...facts);
    }
    parked = (await read<{ id: string }>("SELECT id FROM payments WHERE account_id = @accountId AND state = 'parked'"))
      .map(({ id }) => id)
      .sort();
  });
  afterAll(() => app.close());

  /** Returns the most rows that one statement read. */
  async function mostRowsOf(work: (tx: Transaction) => Promise<unknown>): Promise<number> {
    let most = 0;
    await app.service.database.read((tx) =>
      work({
        ...tx,
        async all<Row>(sql: string, parameters?: SqlParameters) {
          const rows = await tx.all<Row>(sql, parameters);
          most = Math.max(most, rows.length);
          return rows;
        },
      }),
    );
    return most;
  }

  it('are all found, in parts', async () => {
    expect(parked).toHaveLength(PAYMENTS);
    const matching = { accountId: account.accountId, now: app.service.clock() };
    const mia = { customerId: null, externalId: 'mia', email: 'mia@example.com' };
    const most = await mostRowsOf(async (tx) => {
      const { payments, isIdentified } = await findKnownOfNew(tx, matching, mia);
      expect([...new Set(payments.map(({ id }) => id))].sort()).toEqual(parked);
      expect(isIdentified).toBe(true);
      const ofIds = await findKnownOfNew(tx, matching, { ...mia, email: null });
      expect([...new Set(ofIds.payments.map(({ id }) => id))].sort()).toEqual(parked);
      expect(await findKnownOfNew(tx, matching, { ...mia, externalId: 'bo', email: null })).toMatchObject({
        payments: [],
        isIdentified: false,
      });
      const expired = { ...matching, now: Number.MAX_SAFE_INTEGER };
      expect((await findKnownOfNew(tx, expired, mia)).payments).toEqual([]);
      // no program matches by e-mail
      expect(await findParkedByEmail(tx, matching, 'mia@example.com')).toEqual([]);
    });
    expect(most).toBeLessThanOrEqual(PART_MAX);
  });

  it('become sales, and the ids that came with them are assigned to the customer, however many there are', async () => {
    await app.service.database.write((tx) =>
      tx.run(
        `WITH RECURSIVE numbers (nth) AS (SELECT 1 UNION ALL SELECT nth + 1 FROM numbers WHERE nth < ${MORE_IDS})
         INSERT INTO identities (account_id, processor, kind, value, external_id, email_lower, name)
         SELECT @accountId, 'stripe', 'customer', 'cus_more_' || nth, 'mia', 'mia@example.com', 'Mia' FROM numbers`,
        { accountId: account.accountId },
      ),
    );
    await lead(app, account);
    const due = await app.service.database.read((tx) => findDue(tx, account.accountId, PAYMENTS));
    expect(due).toHaveLength(PAYMENTS - ATTRIBUTED_PER_UNIT);
    const left = `SELECT customer_id AS "customerId", COUNT(*) AS count, COUNT(email_lower) AS emails FROM identities
      WHERE account_id = @accountId GROUP BY customer_id`;
    expect(await read(left)).toEqual([{ customerId: expect.any(String), count: IDS + MORE_IDS, emails: 0 }]);
    const [customer] = await read("SELECT name FROM customers WHERE account_id = @accountId AND external_id = 'mia'");
    expect(customer).toEqual({ name: 'Mia' });
  });
});
