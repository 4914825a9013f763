import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Disagreement } from '../../src/audit/disagreement.ts';
import { checkLedger } from '../../src/audit/ledger.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

describe.each(engines)('the check of the running sums on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let parameters: { partnerId: string; processingId: string; queuedId: string; paidId: string };

  /** A paid, a processing and a queued payout. */
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    const { partnerId } = referrer;
    for (const amount of [1000, 2000]) {
      await sell(app, referrer, { amount });
      await runPayouts(app, { at: '2099-12-31' });
      const [processing] = await payoutsOf(app, partnerId, 'processing');
      if (amount === 1000) await app.call('POST', `/api/payouts/${processing.id}/paid`);
    }
    await sell(app, referrer, { amount: 3000 });
    const [paidId, processingId, queuedId] = await Promise.all(
      ['paid', 'processing', 'queued'].map(async (status) => (await payoutsOf(app, partnerId, status))[0].id),
    );
    parameters = { partnerId, processingId, queuedId, paidId };
  });
  afterAll(() => app.close());

  async function disagreements(): Promise<Disagreement[]> {
    const found: Disagreement[] = [];
    for await (const disagreement of checkLedger(app.service, app.accountId)) found.push(disagreement);
    return found;
  }

  const OPEN = 'open_entries WHERE partner_id = @partnerId';
  const DAYS = 'ledger_days SET %s = %s + 1 WHERE partner_id = @partnerId';
  const COUNTED = (count: number) => `has 3 entries, but ${count} are open or in payouts`;
  const OPEN_ENTRY = /^its open entry ent_\w+ is not as in the ledger, or in a payout as well$/;
  const SUMS = /^its sums in usd of [-\d]+ are not those of its entries$/;

  const CONTAINED = /^what is (in payouts|paid) in usd of [-\d]+ is not what its payouts contain$/;

  it.each<[string, string, (string | RegExp)[]]>([
    [
      'an open entry that is missing',
      `DELETE FROM ${OPEN}`,
      [COUNTED(2), /^0 entries are open, but the payout says 1$/],
    ],
    [
      'an open entry that was changed',
      `UPDATE open_entries SET amount = 601 WHERE partner_id = @partnerId`,
      [OPEN_ENTRY],
    ],
    [
      'an entry that is open and paid',
      `INSERT INTO open_entries (partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at)
       SELECT e.partner_id, e.currency, e.available_at, e.id, e.account_id, e.sale_id, e.kind, e.amount, e.created_at
       FROM payout_entries a JOIN ledger_entries e ON e.id = a.entry_id WHERE a.payout_id = @paidId`,
      [OPEN_ENTRY, COUNTED(4), /^2 entries are open, but the payout says 1$/],
    ],
    [
      'an open entry that the ledger does not have',
      `INSERT INTO open_entries (partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at)
       SELECT partner_id, currency, due_at, 'ent_none', account_id, sale_id, kind, amount, created_at FROM ${OPEN}`,
      [OPEN_ENTRY, COUNTED(4), /^2 entries are open, but the payout says 1$/],
    ],
    [
      'an entry that is not marked as paid',
      'UPDATE payout_entries SET live = 1 WHERE payout_id = @paidId',
      [/^is paid, but 1 of its 1 entries are not marked so$/],
    ],
    [
      'an assignment without its sale',
      'UPDATE payout_entries SET sale_id = NULL WHERE payout_id = @processingId',
      [/^1 entries belong to another partner, currency or sale$/],
    ],
    [
      'an entry that another one replaces',
      `UPDATE open_entries SET entry_id = 'ent_none' WHERE partner_id = @partnerId`,
      [OPEN_ENTRY],
    ],
    ...['earned', 'reversed', 'in_payouts', 'paid'].map((column): [string, string, RegExp[]] => {
      const open = column === 'earned' ? 601 : 599;
      const message = new RegExp(`^what is open adds up to ${open}, not 600$`);
      const SUM = column === 'earned' || column === 'reversed' ? SUMS : CONTAINED;
      return [`what is ${column} of a day`, `UPDATE ${DAYS.replaceAll('%s', column)}`, [SUM, message]];
    }),
    [
      "a payout's sum of a day",
      'UPDATE payout_days SET amount = amount + 1 WHERE payout_id = @processingId',
      [/^its sums per day are not those of its entries$/],
    ],
    [
      'sums per day of a payout that ended',
      'INSERT INTO payout_days (payout_id, day, due_day, amount) VALUES (@paidId, 1, 1, 5)',
      [/^is not under way, but has sums per day$/],
    ],
    [
      'the amount of a queued payout',
      'UPDATE payouts SET amount = amount + 1 WHERE id = @queuedId',
      [/^what is open adds up to 600, not 601$/],
    ],
    [
      'the count of a queued payout',
      'UPDATE payouts SET entry_count = 5 WHERE id = @queuedId',
      [/^1 entries are open, but the payout says 5$/],
    ],
  ])('finds %s', async (_, change, messages) => {
    expect(await disagreements()).toEqual([]);
    const undo = await snapshot();
    await app.service.database.write((tx) => tx.run(change, parameters));
    const found = await disagreements();
    await undo();
    expect(found.map(({ message }) => message)).toEqual(messages.map((message) => expect.stringMatching(message)));
    expect(await disagreements()).toEqual([]);
  });

  /** Returns a function that restores the tables. */
  async function snapshot(): Promise<() => Promise<void>> {
    const tables = ['open_entries', 'ledger_days', 'payout_days', 'payout_entries'];
    const { database } = app.service;
    const rows = await database.read(async (tx) =>
      Promise.all(tables.map((table) => tx.all<Record<string, string | number | null>>(`SELECT * FROM ${table}`))),
    );
    const [queued] = await payoutsOf(app, referrer.partnerId, 'queued');
    return () =>
      database.write(async (tx) => {
        for (const [index, table] of tables.entries()) {
          await tx.run(`DELETE FROM ${table}`);
          for (const row of rows[index] ?? []) {
            const names = Object.keys(row);
            const values = names.map((name) => `@${name}`).join(', ');
            await tx.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values})`, row);
          }
        }
        const { id, amount, entryCount } = queued;
        const sql = 'UPDATE payouts SET amount = @amount, entry_count = @entryCount WHERE id = @id';
        await tx.run(sql, { id, amount, entryCount });
      });
  }
});
