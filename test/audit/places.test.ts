import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareLedger, compareResults, type Snapshot } from '../../src/audit/fingerprints.ts';
import { findNotableAmongAll, findNotableSales, type IdRange } from '../../src/audit/queries/ledger.ts';
import { divideSales } from '../../src/audit/sales-parts.ts';
import { FIRST_ID, LAST_ID } from '../../src/core/ids.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { inBothWays } from './in-both-ways.ts';

describe.each(engines)('all that is compared at once on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let other: Referrer;
  const FINDERS = engine === 'sqlite' ? [findNotableSales] : [findNotableSales, amongAll];
  const allSales = () => ({ accountId: app.accountId, afterId: FIRST_ID, lastId: LAST_ID });

  /** A paid and a canceled payout, a processing one of another partner, a refund, and open entries of equal amounts. */
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    other = await createReferrer(app, { email: 'other@example.com' });
    await referrer.lead('user_1');
    for (const end of ['paid', 'cancel']) {
      const saleId = await sell(app, referrer, { amount: 1000 });
      await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: unique('re'), amount: 500 } });
      await runPayouts(app, { at: '2099-12-31' });
      const [{ id }] = await payoutsOf(app, referrer.partnerId, 'processing');
      await app.call('POST', `/api/payouts/${id}/${end}`);
    }
    await sell(app, other, { amount: 800 });
    await runPayouts(app, { at: '2099-12-31' });
    for (const _ of [1, 2]) await sell(app, referrer, { amount: 4000 });
  });
  afterAll(() => app.close());

  /** What does not agree within a unit, which sees all that it has changed; however the queries join. */
  async function differing(tx: Transaction): Promise<string[]> {
    const { accountId } = app;
    const [each, whole] = await inBothWays(engine, async (joins) => {
      const snapshot: Snapshot = { joins, report: (unit) => unit(tx) };
      const ledger = await compareLedger(snapshot, accountId);
      const results = await compareResults(snapshot, accountId);
      return Object.entries({ ...ledger, ...results }).flatMap(([name, agrees]) => (agrees ? [] : [name]));
    });
    expect(whole).toEqual(each);
    for (const find of FINDERS) expect(await find(tx, allSales())).toEqual(await findNotableSales(tx, allSales()));
    return each;
  }

  const differingAfter = (...changes: string[]) => afterChanges(changes, differing);

  /** What is found after changes, which are then rolled back. */
  async function afterChanges(changes: string[], find: (tx: Transaction) => Promise<string[]>): Promise<string[]> {
    const taken = new Error('taken back');
    const parameters = { partnerId: referrer.partnerId, otherId: other.partnerId, linkId: referrer.linkId };
    let found: string[] = [];
    const change = async (tx: Transaction) => {
      for (const sql of changes) expect(await tx.run(sql, parameters), sql).toBeGreaterThan(0);
      found = await find(tx);
      throw taken;
    };
    await app.service.database.write(change, { alone: true }).catch((error) => {
      if (error !== taken) throw error;
    });
    return found;
  }

  it('agrees', async () => {
    expect(await app.service.database.snapshot(differing)).toEqual([]);
  });

  const OF_CANCELED = "payout_id = (SELECT p.id FROM payouts p WHERE p.status = 'canceled')";
  const OPEN = 'open_entries WHERE partner_id = @partnerId';
  const twin = (end: 'MIN' | 'MAX') => `(SELECT ${end}(o.entry_id) FROM open_entries o WHERE o.partner_id = @partnerId
    AND o.amount = (SELECT MAX(l.amount) FROM open_entries l WHERE l.partner_id = @partnerId))`;
  const [LOST, TWICE] = [twin('MIN'), twin('MAX')];
  it.each<[what: string, changes: string[], expected: string[]]>([
    [
      'the amount of a canceled payout',
      ["UPDATE payouts SET amount = amount + 1 WHERE status = 'canceled'"],
      ['payouts'],
    ],
    [
      'the count of a canceled payout',
      ["UPDATE payouts SET entry_count = entry_count + 1 WHERE status = 'canceled'"],
      ['payouts'],
    ],
    [
      'the sale of an entry that was given back',
      [`UPDATE payout_entries SET sale_id = 'sal_other' WHERE sale_id IS NOT NULL AND ${OF_CANCELED}`],
      ['payouts'],
    ],
    [
      'the partner of a canceled payout',
      ["UPDATE payouts SET partner_id = @otherId WHERE status = 'canceled'"],
      ['payouts'],
    ],
    [
      'entries that a canceled payout no longer contains',
      [`DELETE FROM payout_entries WHERE sale_id IS NOT NULL AND ${OF_CANCELED}`],
      ['payouts'],
    ],
    ['the partner of a paid payout', ["UPDATE payouts SET partner_id = @otherId WHERE status = 'paid'"], ['payouts']],
    [
      'the mark of a paid refund',
      ['UPDATE payout_entries SET live = 1 WHERE live = 2 AND sale_id IS NULL'],
      ['payouts'],
    ],
    [
      'a paid payout that says it is settling',
      ["UPDATE payouts SET settling_after = '' WHERE status = 'paid'"],
      ['payouts'],
    ],
    [
      'an entry of another account in a payout',
      [
        `INSERT INTO ledger_entries (id, account_id, partner_id, kind, amount, currency, available_at, created_at)
         VALUES ('ent_other', 'acc_other', @otherId, 'adjustment', 5, 'usd', 1, 1)`,
        `INSERT INTO payout_entries (payout_id, account_id, entry_id, live)
         SELECT p.id, 'acc_other', 'ent_other', 2 FROM payouts p WHERE p.status = 'paid'`,
      ],
      ['payouts'],
    ],
    [
      'an entry in no place whose equal one is in two',
      [
        `INSERT INTO payout_entries (payout_id, account_id, entry_id, live, sale_id)
         SELECT p.id, e.account_id, e.id, 2, e.sale_id FROM payouts p JOIN ledger_entries e ON e.id = ${TWICE}
         WHERE p.status = 'paid'`,
        `DELETE FROM open_entries WHERE entry_id = ${LOST}`,
      ],
      ['payouts', 'places'],
    ],
    [
      'an open entry that was changed',
      [`UPDATE open_entries SET created_at = created_at + 1 WHERE partner_id = @partnerId`],
      ['places'],
    ],
    [
      'an open entry that waits for a review of its sale, which has none',
      ['UPDATE open_entries SET due_at = 8640000000000000 WHERE partner_id = @partnerId'],
      ['places'],
    ],
    [
      'an open entry that the ledger does not have',
      [
        `INSERT INTO open_entries (partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at)
         SELECT partner_id, currency, due_at, 'ent_none', account_id, sale_id, kind, amount, created_at FROM ${OPEN}
         AND entry_id = ${LOST}`,
      ],
      ['places'],
    ],
    ['an open entry that is missing', [`DELETE FROM open_entries WHERE entry_id = ${LOST}`], ['places']],
    [
      'clicks of a link under a partner who never had it',
      ['UPDATE result_days SET owner_id = @otherId WHERE owner_id = @partnerId AND part = @linkId AND clicks > 0'],
      ['clicks'],
    ],
    [
      'sums of blocks of days',
      ['UPDATE result_days SET revenue = revenue + 1 WHERE span = 32 AND owner_id = @partnerId AND revenue > 0'],
      ['blocks'],
    ],
    ['the link of a sum', ["UPDATE result_days SET part = '' WHERE part = @linkId AND span = 32"], ['blocks']],
    [
      'sums of a program',
      [
        'UPDATE result_days SET commission = commission + 1 WHERE owner_id IN (SELECT g.id FROM programs g) AND sales > 0',
      ],
      ['programs'],
    ],
    ['clicks of an hour', ['UPDATE link_clicks SET clicks = clicks + 1'], ['clicks']],
  ])('differs with %s', async (_, changes, expected) => {
    expect(await differingAfter(...changes)).toEqual(expect.arrayContaining(expected));
  });

  const LAST = '(SELECT MAX(s.id) FROM sales s)';

  it.each(FINDERS)('leaves out sales that earned nothing: %o', async (findNotable) => {
    const notable = (tx: Transaction) => findNotable(tx, allSales());
    const before = await app.service.database.read(notable);
    const withoutEntries = ['open_entries', 'ledger_entries'].map(
      (table) => `DELETE FROM ${table} WHERE sale_id = ${LAST}`,
    );
    const earnsNothing = `UPDATE sales SET commission_amount = 0 WHERE id = ${LAST}`;
    expect(before).toHaveLength(2);
    expect(await afterChanges([...withoutEntries, earnsNothing], notable)).toEqual(before);
    expect(await afterChanges(withoutEntries, notable)).toHaveLength(3);
    expect(await afterChanges([earnsNothing], notable)).toHaveLength(3);
  });

  it.each([
    'amount = amount + 1',
    'partner_id = @otherId',
    "currency = 'eur'",
    'available_at = available_at + 1',
    "kind = 'adjustment'",
    "kind = 'reversal'",
  ])('looks closely at the one sale whose commission was changed: %s', async (change) => {
    for (const findNotable of FINDERS) {
      const notable = (tx: Transaction) => findNotable(tx, allSales());
      const [last = ''] = await app.service.database.read(async (tx) => (await idsOfSales(tx)).slice(-1));
      const before = await app.service.database.read(notable);
      const found = await afterChanges([`UPDATE ledger_entries SET ${change} WHERE sale_id = ${LAST}`], notable);
      expect(found).toEqual([...before, last]);
    }
  });

  it('reads the sales in parts that cover all ids', async () => {
    const sales = await app.service.database.read(idsOfSales);
    const parts = await divideSales(app.service, app.accountId, 2);
    expect(parts.map(({ count }) => count)).toEqual([2, 2, 1]);
    expect(parts.map(({ afterId, lastId }) => [afterId, lastId])).toEqual([
      ['', sales[1]],
      [sales[1], sales[3]],
      [sales[3], 'zzzzzzzz'],
    ]);
    const whole = { afterId: '', lastId: 'zzzzzzzz', count: 5, joins: engine === 'sqlite' ? 'each' : 'whole' };
    expect(await divideSales(app.service, app.accountId)).toEqual([whole]);
  });
});

async function amongAll(tx: Transaction, range: IdRange): Promise<string[]> {
  return (await findNotableAmongAll(tx, range)).notable;
}

async function idsOfSales(tx: Transaction): Promise<string[]> {
  return (await tx.all<{ id: string }>('SELECT s.id FROM sales s ORDER BY s.id')).map(({ id }) => id);
}
