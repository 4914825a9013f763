import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { runScheduledPayouts } from '../../src/payouts/schedule.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts } from '../helpers/earning.ts';
import { createReferrer } from '../helpers/story.ts';

/** When the database may be the cause, more failures in a row than this end a run. */
const FAILURES_IN_A_ROW_MAX = 32;
const DAY_MS = 86_400_000;
const MOST = 1_000_000_000_000;

describe.each(engines)('a partner whose entries add up to more than 2^53, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const run = (sql: string, parameters: Record<string, string | number>) =>
    app.service.database.write((tx) => tx.run(sql, parameters));
  const adjust = async (partnerId: string, amount: number) => {
    const body = { partnerId, amount, currency: 'usd', reason: 'For the test' };
    expect((await app.call('POST', '/api/adjustments', { body })).status).toBe(201);
  };
  /** Acts as if 9,100 sales had earned the maximum of one sale: the ledger knows only their sum. */
  const multiply = async (partnerId: string) => {
    const times = 9_100 / 2;
    await run('UPDATE open_entries SET amount = amount * @times WHERE partner_id = @partnerId', { partnerId, times });
    const sql = "UPDATE payouts SET amount = amount * @times WHERE partner_id = @partnerId AND status = 'queued'";
    await run(sql, { partnerId, times });
  };

  it('is reported and skipped by a run, which pays the others, and by its dry run', async () => {
    const honest: string[] = [];
    const large: string[] = [];
    for (let number = 0; number < FAILURES_IN_A_ROW_MAX + 4; number += 1) {
      const { partnerId } = await createReferrer(app);
      const isHonest = number === 0 || number === FAILURES_IN_A_ROW_MAX + 3;
      await adjust(partnerId, isHonest ? 500 : MOST);
      if (!isHonest) await adjust(partnerId, MOST);
      (isHonest ? honest : large).push(partnerId);
    }
    for (const partnerId of large) await multiply(partnerId);

    const dry = await app.call('POST', '/api/payouts/run', { body: { dryRun: true } });
    const real = await runPayouts(app);
    for (const { status, body } of [dry, real]) {
      expect([status, body.payoutCount]).toEqual([200, 2]);
      expect(body.data.map((payout: { partnerId: string }) => payout.partnerId)).toEqual(honest);
      expect(body.failed.map((payout: { partnerId: string }) => payout.partnerId)).toEqual(large);
      expect(body.failed[0]).toMatchObject({ currency: 'usd', code: 'INVALID_STATE' });
      expect(body.failed[0].message).toContain('add up to more than ±9,007,199,254,740,991 minor units');
    }
    // what is queued for them can still be listed, together with everything else
    expect((await app.call('GET', '/api/payouts?limit=100')).status).toBe(200);
    expect(await payoutsOf(app, large[0] ?? '')).toMatchObject([{ status: 'queued', amount: Number.MAX_SAFE_INTEGER }]);
  });

  it('is in the log of a scheduled run by id, not by name', async () => {
    const { partnerId } = await createReferrer(app, { name: 'Zoe Example' });
    for (const amount of [MOST, MOST]) await adjust(partnerId, amount);
    await multiply(partnerId);
    const lines: string[] = [];
    const log = pino({}, { write: (line) => void lines.push(line) });
    const tomorrow = createService({ ...app.service, log, clock: () => Date.now() + DAY_MS });
    expect(await runScheduledPayouts(tomorrow, 'daily')).toBe(true);
    const started = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'scheduled payouts started');
    expect(started.failed).toContainEqual({ partnerId, currency: 'usd', code: 'INVALID_STATE' });
    expect(lines.join('')).not.toContain('Zoe');
  });

  it('is skipped when held entries alone exceed it, and paid once that is corrected', async () => {
    const { partnerId } = await createReferrer(app);
    await adjust(partnerId, 700);
    const correct = (amount: number) =>
      run("UPDATE payouts SET amount = @amount WHERE partner_id = @partnerId AND status = 'queued'", {
        partnerId,
        amount,
      });
    await correct(Number.MAX_SAFE_INTEGER);
    await adjust(partnerId, 700);
    const { body } = await runPayouts(app);
    const mine = (entry: { partnerId: string }) => entry.partnerId === partnerId;
    expect([body.data.filter(mine).length, body.failed.filter(mine).length]).toEqual([0, 1]);
    await correct(1_400);
    const again = await runPayouts(app);
    expect(again.body.data.filter(mine)).toMatchObject([{ amount: 1_400, entryCount: 2 }]);
  });

  it('makes totals beyond it null instead of wrong numbers', async () => {
    for (let number = 0; number < 2; number += 1) {
      const { partnerId } = await createReferrer(app);
      await adjust(partnerId, MOST);
      for (const table of ['open_entries', 'payouts'])
        await run(`UPDATE ${table} SET amount = amount * 8000 WHERE partner_id = @partnerId`, { partnerId });
    }
    const { body } = await runPayouts(app);
    expect(body.totals).toMatchObject([{ currency: 'usd', payoutCount: 2, amount: null }]);
  });
});
