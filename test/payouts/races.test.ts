import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { createReferrer, unique } from '../helpers/story.ts';

describe.each(engines)('concurrent money operations, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0 } });
  });
  afterAll(() => app.close());

  it('sales, refunds, adjustments, runs and settled payouts omit no entry and pay none twice', async () => {
    const referrer = await createReferrer(app);
    const { partnerId } = referrer;
    const sold = await Promise.all(Array.from({ length: 10 }, () => sell(app, referrer)));
    const adjustment = { partnerId, amount: 10, currency: 'usd', reason: 'Test' };
    const endAll = async (word: string) => {
      const payouts = await payoutsOf(app, partnerId, 'processing');
      const answers = await Promise.all(
        payouts.map(({ id }: { id: string }) => app.call('POST', `/api/payouts/${id}/${word}`)),
      );
      return answers.map(({ status }) => status);
    };
    // on PostgreSQL, a run waits 5 s for its turn among the others, and is refused on a busy machine
    const runInTurn = async (turns = 5): Promise<number> => {
      const { status } = await runPayouts(app);
      return status === 503 && turns > 1 ? runInTurn(turns - 1) : status;
    };
    for (const word of ['failed', 'paid', 'cancel', 'paid']) {
      const statuses = await Promise.all([
        ...sold.map(async (saleId) => {
          const body = { refundId: unique('re'), amount: 1000 };
          return (await app.call('POST', `/api/sales/${saleId}/refunds`, { body })).status;
        }),
        ...Array.from({ length: 10 }, async () => (await sell(app, referrer)) && 200),
        ...Array.from(
          { length: 5 },
          async () => (await app.call('POST', '/api/adjustments', { body: adjustment })).status,
        ),
        ...Array.from({ length: 6 }, () => runInTurn()),
        ...Array.from({ length: 2 }, async () =>
          (await endAll(word)).every((status) => status === 200 || status === 409) ? 200 : 500,
        ),
      ]);
      expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
    }
    await runPayouts(app);
    await endAll('paid');
    const queued = await payoutsOf(app, partnerId, 'queued');
    expect(queued).toHaveLength(1);
    // 50 sales of 20.00, 4 refunds of a tenth of ten of them, 20 adjustments
    const earned = 50 * 2000 + 200;
    const reversed = 40 * 200;
    const { payable, paid, ...earnings } = await earningsOf(app, partnerId);
    expect({ ...earnings, sum: payable + paid }).toEqual({
      currency: 'usd',
      earned,
      reversed,
      held: 0,
      sum: earned - reversed,
    });
    expect(queued[0].amount).toBe(payable);
    const paidOut = (await payoutsOf(app, partnerId, 'paid')).map(({ amount }: { amount: number }) => amount);
    expect(paidOut.reduce((sum: number, amount: number) => sum + amount, 0)).toBe(paid);
    await requireAgreement(app.service, app.accountId);
  });

  it('a payout file is canceled once, with one entry in the audit log', async () => {
    const referrer = await createReferrer(app);
    const details = { rail: 'paypal', email: 'ana@example.com' };
    await app.call('PUT', `/api/partners/${referrer.partnerId}/payout-details`, { body: details });
    await sell(app, referrer);
    await runPayouts(app);
    for (let round = 0; round < rounds(25); round += 1) {
      const { body: file } = await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal' } });
      const cancel = () => app.call('POST', `/api/payouts/files/${file.id}/cancel`);
      expect((await Promise.all([cancel(), cancel()])).map(({ status }) => status)).toEqual([200, 200]);
      const sql = "SELECT id FROM audit_log WHERE resource_id = @id AND action = 'payout_file.cancel'";
      expect(await app.service.database.read((tx) => tx.all(sql, { id: file.id }))).toHaveLength(1);
    }
  });
});
