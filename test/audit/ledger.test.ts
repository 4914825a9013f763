import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Disagreement } from '../../src/audit/disagreement.ts';
import { checkLedger } from '../../src/audit/ledger.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { hold } from '../helpers/held-payouts.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

const SUMS_DIFFER = /^its sums in usd of \d{4}-\d\d-\d\d are not those of its entries$/;
const IN_PAYOUTS = /^what is in payouts in usd of \d{4}-\d\d-\d\d is not what its payouts contain$/;

describe.each(engines)('the check of the ledger on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let saleId: string;
  let payoutId: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  beforeEach(async () => {
    referrer = await createReferrer(app);
    saleId = await sell(app, referrer);
    await sell(app, referrer, { amount: 500 });
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: unique('re'), amount: 1000 } });
    await runPayouts(app, { at: '2099-12-31' });
    payoutId = (await payoutsOf(app, referrer.partnerId, 'processing'))[0].id;
  });
  afterAll(() => app.close());

  async function disagreements(): Promise<Disagreement[]> {
    const found: Disagreement[] = [];
    for await (const disagreement of checkLedger(app.service, app.accountId)) found.push(disagreement);
    return found;
  }

  async function tamper(sql: string, undo: string): Promise<Disagreement[]> {
    expect(await disagreements()).toEqual([]);
    const parameters = { saleId, payoutId, partnerId: referrer.partnerId };
    await app.service.database.write((tx) => tx.run(sql, parameters));
    const found = await disagreements();
    await app.service.database.write((tx) => tx.run(undo, parameters));
    return found;
  }

  it.each([
    [
      'a commission',
      'UPDATE ledger_entries SET amount = amount + 1',
      "WHERE sale_id = @saleId AND kind = 'commission'",
    ],
    ['a reversal', 'UPDATE ledger_entries SET amount = amount + 1', "WHERE sale_id = @saleId AND kind = 'reversal'"],
  ])('finds %s that was changed', async (what, change, where) => {
    const found = await tamper(`${change} ${where}`, `${change.replace('+', '-')} ${where}`);
    expect(found).toEqual([
      { kind: 'sale', id: saleId, message: expect.stringContaining(`${what.slice(2)} entries add up to`) },
      { kind: 'partner', id: referrer.partnerId, message: expect.stringMatching(SUMS_DIFFER) },
      { kind: 'payout', id: payoutId, message: 'its entries add up to 1901, not 1900' },
      { kind: 'payout', id: payoutId, message: 'its sums per day are not those of its entries' },
      { kind: 'partner', id: referrer.partnerId, message: expect.stringMatching(IN_PAYOUTS) },
    ]);
  });

  it.each([
    [
      'refunded amount',
      'UPDATE sales SET refunded_amount = refunded_amount + 5 WHERE id = @saleId',
      'UPDATE sales SET refunded_amount = refunded_amount - 5 WHERE id = @saleId',
      'the stored refunded amount is 1005, not 1000',
    ],
    [
      'dispute',
      'UPDATE sales SET disputed_open = 1 WHERE id = @saleId',
      'UPDATE sales SET disputed_open = 0 WHERE id = @saleId',
      'is not disputed, but the sale says otherwise',
    ],
    [
      'partner',
      "UPDATE ledger_entries SET currency = 'eur' WHERE sale_id = @saleId AND kind = 'reversal'",
      "UPDATE ledger_entries SET currency = 'usd' WHERE sale_id = @saleId AND kind = 'reversal'",
      expect.stringMatching(/^its entry ent_\w+ has another partner, currency or time$/),
    ],
  ])('finds a sale with a wrong %s', async (_, change, undo, message) => {
    expect(await tamper(change, undo)).toContainEqual({ kind: 'sale', id: saleId, message });
  });

  const NOT_IN_PLACE = (count: number) => ['partner', `has 3 entries, but ${count} are open or in payouts`] as const;

  it.each([
    [
      'amount',
      'UPDATE payouts SET amount = amount + 1 WHERE id = @payoutId',
      'UPDATE payouts SET amount = amount - 1 WHERE id = @payoutId',
      [['payout', 'its entries add up to 1900, not 1901']],
    ],
    [
      'count',
      'UPDATE payouts SET entry_count = 7 WHERE id = @payoutId',
      'UPDATE payouts SET entry_count = 3 WHERE id = @payoutId',
      [NOT_IN_PLACE(7), ['payout', 'has 3 entries, but the payout says 7']],
    ],
    [
      'state',
      "UPDATE payouts SET status = 'failed' WHERE id = @payoutId",
      "UPDATE payouts SET status = 'processing' WHERE id = @payoutId",
      [
        NOT_IN_PLACE(0),
        ['payout', 'is failed, but 3 of its 3 entries are not marked so'],
        ['payout', 'is not under way, but has sums per day'],
        ['partner', IN_PAYOUTS],
      ],
    ],
    [
      'hold on its entries',
      'UPDATE payout_entries SET live = 0 WHERE payout_id = @payoutId',
      'UPDATE payout_entries SET live = 1 WHERE payout_id = @payoutId',
      [['payout', 'is processing, but 3 of its 3 entries are not marked so']],
    ],
  ] as const)('finds a payout with a wrong %s', async (_, change, undo, expected) => {
    const found = await tamper(change, undo);
    const ids = { payout: payoutId, partner: referrer.partnerId };
    expect(found).toEqual(
      expected.map(([kind, message]) => ({ kind, id: ids[kind], message: expect.stringMatching(message) })),
    );
  });

  it.each([
    ['amount', 'amount = amount + 1', 'amount = amount - 1', [['payout', 'its entries add up to 1900, not 1901']]],
    [
      'count',
      'entry_count = 7',
      'entry_count = 3',
      [NOT_IN_PLACE(7), ['payout', 'has 3 entries, but the payout says 7']],
    ],
  ] as const)('finds a wrong %s, and nothing else, of a payout that is held', async (_, change, undo, expected) => {
    expect(await hold(app.service, app.accountId, payoutId)).toBe(true);
    const set = (what: string) => `UPDATE payouts SET ${what} WHERE id = @payoutId`;
    const ids = { payout: payoutId, partner: referrer.partnerId };
    expect(await tamper(set(change), set(undo))).toEqual(
      expected.map(([kind, message]) => ({ kind, id: ids[kind], message })),
    );
  });

  it.each([
    ['due a little earlier', 'due_at - 1', /^its open entry ent_\w+ is not as in the ledger, or in a payout as well$/],
    ['payable', '5', /^waits for a review, but 1 of its entries could be paid$/],
  ])('finds a sale that waits for a review although its commission is %s', async (_, dueAt, message) => {
    const { database } = app.service;
    const flagged = await sell(app, referrer);
    const due = 8_640_000_000_000_000;
    const entry = 'entry_id IN (SELECT e.id FROM ledger_entries e WHERE e.sale_id = @flagged)';
    await database.write((tx) => tx.run("UPDATE sales SET review = 'flagged' WHERE id = @flagged", { flagged }));
    await database.write((tx) => tx.run(`UPDATE open_entries SET due_at = ${due} WHERE ${entry}`, { flagged }));
    const days = `UPDATE ledger_days SET due_day = @dueDay WHERE partner_id = @partnerId AND in_payouts = 0 AND earned > 0`;
    const parameters = { partnerId: referrer.partnerId, dueDay: 100_000_000 };
    const mine = (found: Disagreement[]) => found.filter(({ id }) => id === flagged || id === referrer.partnerId);
    await database.write((tx) => tx.run(days, parameters));
    const before = mine(await disagreements());
    await database.write((tx) => tx.run(`UPDATE open_entries SET due_at = ${dueAt} WHERE ${entry}`, { flagged }));
    const found = mine(await disagreements());
    await database.write((tx) => tx.run(`UPDATE open_entries SET due_at = ${due} WHERE ${entry}`, { flagged }));
    expect(before).toEqual([]);
    expect(found).toContainEqual(expect.objectContaining({ message: expect.stringMatching(message) }));
  });

  it('finds entries without a queued payout', async () => {
    const queued = "partner_id = @partnerId AND status = 'queued'";
    const found = await tamper(
      `UPDATE payouts SET currency = 'xts' WHERE ${queued}`,
      `UPDATE payouts SET currency = 'usd' WHERE ${queued}`,
    );
    expect(found).toEqual([
      { kind: 'partner', id: referrer.partnerId, message: 'has entries in usd but no queued payout' },
    ]);
  });

  it('ignores the ledgers of other accounts', async () => {
    const other = await app.addAccount('Other Ltd');
    for await (const found of checkLedger(app.service, other.accountId)) expect(found).toBeUndefined();
    expect(await disagreements()).toEqual([]);
  });
});
