import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareLedger, compareResults, type Snapshot } from '../../src/audit/fingerprints.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';
import { inBothWays } from './in-both-ways.ts';

/** The fingerprints that do not agree. */
type Differing = ('entries' | 'payouts' | 'results')[];

describe.each(engines)("the fingerprints of an account's tables on %s", (engine) => {
  let app: TestApp;
  let referrer: Referrer;

  /** A paid, a processing and a queued payout, in two currencies, and a second partner. */
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    await referrer.lead('user_1');
    await sell(app, referrer, { amount: 1000 });
    await sell(app, referrer, { amount: 7000, currency: 'eur' });
    await runPayouts(app, { at: '2099-12-31' });
    for (const { id } of await payoutsOf(app, referrer.partnerId, 'processing')) {
      await app.call('POST', `/api/payouts/${id}/paid`);
    }
    await sell(app, referrer, { amount: 2000 });
    await runPayouts(app, { at: '2099-12-31' });
    await sell(app, referrer, { amount: 3000 });
    const other = await createReferrer(app, { email: 'other@example.com' });
    await sell(app, other, { amount: 500 });
  });
  afterAll(() => app.close());

  /** However the queries join, they find the same. */
  async function differing(report: Snapshot['report'] = app.service.database.report): Promise<Differing> {
    const [each, whole] = await inBothWays(engine, async (joins) => {
      const { entries, payouts } = await compareLedger({ report, joins }, app.accountId);
      const { results } = await compareResults({ report, joins }, app.accountId);
      const agreements = { entries, payouts, results };
      return (Object.keys(agreements) as Differing).filter((name) => !agreements[name]);
    });
    expect(whole).toEqual(each);
    return each;
  }

  /** What differs after a change, which is rolled back. */
  async function differingAfter(...changes: string[]): Promise<Differing> {
    const taken = new Error('taken back');
    let found: Differing = [];
    const { database } = app.service;
    await database
      .write(
        async (tx) => {
          for (const sql of changes) expect(await tx.run(sql), sql).toBeGreaterThan(0);
          found = await differing((unit) => unit(tx));
          throw taken;
          // it rolls back what it wrote, and everything that shares its transaction
        },
        { alone: true },
      )
      .catch((error) => {
        if (error !== taken) throw error;
      });
    return found;
  }

  it('agree, so that no row has to be compared', async () => {
    expect(await differing()).toEqual([]);
  });

  const ONE_DAY = '(SELECT MIN(day) FROM ledger_days)';
  it.each<[what: string, changes: string[], expected: Differing]>([
    ['an amount', [`UPDATE ledger_days SET earned = earned + 1 WHERE day = ${ONE_DAY}`], ['entries']],
    ['what was taken back', [`UPDATE ledger_days SET reversed = reversed - 1 WHERE day = ${ONE_DAY}`], ['entries']],
    ['the day of a sum', ['UPDATE ledger_days SET day = day + 1'], ['entries', 'payouts']],
    ['the day when it is due', ['UPDATE ledger_days SET due_day = due_day + 1'], ['entries', 'payouts']],
    ['a currency', ["UPDATE ledger_days SET currency = 'jpy' WHERE currency = 'eur'"], ['entries', 'payouts']],
    [
      'earned and taken back by the same amount',
      ['UPDATE ledger_days SET earned = earned + 5, reversed = reversed + 5'],
      ['entries'],
    ],
    ['what is paid', ['UPDATE ledger_days SET paid = paid + 1 WHERE paid > 0'], ['payouts']],
    ['what payouts contain', ['UPDATE ledger_days SET in_payouts = in_payouts + 1 WHERE in_payouts > 0'], ['payouts']],
    ["a payout's amount", ["UPDATE payouts SET amount = amount + 1 WHERE status = 'paid'"], ['payouts']],
    ["a payout's count", ["UPDATE payouts SET entry_count = entry_count + 1 WHERE status = 'processing'"], ['payouts']],
    ["a payout's sum of a day", ['UPDATE payout_days SET amount = amount + 1'], ['payouts']],
    ['the mark of an entry', ['UPDATE payout_entries SET live = 1 WHERE live = 2'], ['payouts']],
    ['the sale of an entry', ["UPDATE payout_entries SET sale_id = 'sal_other'"], ['payouts']],
    ['the leads of a day', ['UPDATE result_days SET leads = leads + 1 WHERE leads > 0'], ['results']],
    ['the sales of a day', ['UPDATE result_days SET sales = sales + 1 WHERE sales > 0'], ['results']],
    ['the revenue of a day', ['UPDATE result_days SET revenue = revenue - 1 WHERE revenue > 0'], ['results']],
    ['the commission of a day', ['UPDATE result_days SET commission = commission + 1 WHERE sales > 0'], ['results']],
    ['the link of a sale', ['UPDATE sales SET link_id = NULL'], ['results']],
    ['a voided sale', ["UPDATE sales SET voided_reason = 'a duplicate' WHERE currency = 'eur'"], ['results']],
  ])('differ with %s', async (_, changes, expected) => {
    expect(await differingAfter(...changes)).toEqual(expected);
  });

  it('agree while a payout is held', async () => {
    expect(await differingAfter("UPDATE payouts SET status = 'held' WHERE status = 'processing'")).toEqual([]);
  });

  it('agree with entries whose sale waits for a review', async () => {
    const flagged = "(SELECT MAX(id) FROM sales WHERE currency = 'usd')";
    expect(await differingAfter(`UPDATE sales SET review = 'flagged' WHERE id = ${flagged}`)).toEqual(['entries']);
    const undecided = `UPDATE ledger_days SET due_day = 100000000
      WHERE partner_id = (SELECT partner_id FROM sales WHERE id = ${flagged}) AND in_payouts = 0 AND paid = 0`;
    expect(await differingAfter(`UPDATE sales SET review = 'flagged' WHERE id = ${flagged}`, undecided)).toEqual([]);
  });
});
