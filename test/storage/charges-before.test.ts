import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/open.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';

/** Reports as earlier versions stored them, and the charge that each is of. */
const REPORTS = [
  { processor: 'stripe', key: 'cumulative pi_1 6000', kind: 'cumulative', amount: 6_000, charge: 'pi_1' },
  { processor: 'stripe', key: 'cumulative ch_1 5', kind: 'cumulative', amount: 5, charge: 'ch_1' },
  { processor: 'stripe', key: 'cumulative in_1 6000', kind: 'cumulative', amount: 6_000, charge: null },
  { processor: 'stripe', key: 're_1', kind: 'refund', amount: 6_000, charge: null },
  { processor: 'stripe', key: 're_2', kind: 'refund', amount: null, charge: null },
  { processor: 'polar', key: 'cumulative pi_order 6000', kind: 'cumulative', amount: 6_000, charge: null },
];

describe.each(engines)("Stripe's cumulative refunds of earlier versions, on %s", (engine) => {
  it('are of the charge that their key names', async () => {
    const empty = await createEmptyDatabase(engine);
    const earlier = await migrationsBefore('0029');
    const before = await openDatabase(empty.url, { migrationsFolder: earlier.folder });
    await before.write(async (tx) => {
      await tx.run("INSERT INTO accounts (id, name, created_at) VALUES ('acc_1', 'Example Ltd', 0)", {});
      await tx.run(
        `INSERT INTO payments (id, account_id, processor, state, created_at)
         VALUES ('pmt_1', 'acc_1', 'stripe', 'awaited', 0)`,
        {},
      );
      for (const { charge: _, ...report } of REPORTS) {
        await tx.run(
          `INSERT INTO refunds (account_id, processor, refund_key, payment_id, kind, amount, currency, failed, occurred_at,
             created_at)
           VALUES ('acc_1', @processor, @key, 'pmt_1', @kind, @amount, 'usd', 0, 0, 0)`,
          report,
        );
      }
    });
    await before.close();

    const after = await openDatabase(empty.url);
    const rows = await after.read((tx) =>
      tx.all<{ key: string; charge: string | null }>(
        'SELECT refund_key AS key, charge_id AS charge FROM refunds ORDER BY refund_key',
        {},
      ),
    );
    const expected = REPORTS.map(({ key, charge }) => ({ key, charge }));
    expect(rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
      expected.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    );
    await after.close();
    await empty.remove();
    await earlier.remove();
  });
});
