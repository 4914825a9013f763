import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { createReferrer, unique } from '../helpers/story.ts';

/**
 * The answer to a request, which is repeated while it is refused because the database is too busy, as on PostgreSQL after a
 * wait for a lock or for the turn of a run. Nothing was recorded then, which the sums at the end show.
 */
async function settled(request: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await request();
    if (answer.status !== 503 || answer.body?.error.code !== 'UNAVAILABLE') return answer;
    await sleep(100);
  }
}

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
    const sellAgain = async () => {
      const body = { clickId: await referrer.click(), customerExternalId: unique('user'), amount: 10_000 };
      return settled(() => app.call('POST', '/api/track/sale', { body }));
    };
    const adjustment = { partnerId, amount: 10, currency: 'usd', reason: 'Test' };
    const endAll = async (word: string) => {
      const { body } = await settled(() => app.call('GET', `/api/payouts?partnerId=${partnerId}&status=processing`));
      return Promise.all(
        body.data.map(({ id }: { id: string }) => settled(() => app.call('POST', `/api/payouts/${id}/${word}`))),
      );
    };
    for (const word of ['failed', 'paid', 'cancel', 'paid']) {
      const [answers, endings] = await Promise.all([
        Promise.all([
          ...sold.map((saleId) => {
            const body = { refundId: unique('re'), amount: 1000 };
            return settled(() => app.call('POST', `/api/sales/${saleId}/refunds`, { body }));
          }),
          ...Array.from({ length: 10 }, sellAgain),
          ...Array.from({ length: 5 }, () => settled(() => app.call('POST', '/api/adjustments', { body: adjustment }))),
          ...Array.from({ length: 6 }, () => settled(() => runPayouts(app))),
        ]),
        Promise.all([endAll(word), endAll(word)]),
      ]);
      expect(answers.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
      expect(endings.flat().filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    }
    await settled(() => runPayouts(app));
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
