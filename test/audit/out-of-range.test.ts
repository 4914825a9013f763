import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAudit } from '../../src/audit/audits.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer } from '../helpers/story.ts';

const MOST = Number.MAX_SAFE_INTEGER;

describe.each(engines)('a partner whose sums are beyond 2^53, on %s', (engine) => {
  let app: TestApp;
  let rich: string;
  let honest: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    [rich, honest] = await Promise.all([sell(), sell()]);
    // as if thousands of sales had earned the maximum: each day is in range, the total is not
    await app.service.database.write(async (tx) => {
      await tx.run('UPDATE ledger_days SET earned = @MOST WHERE partner_id = @rich', { MOST, rich });
      await tx.run(
        `INSERT INTO ledger_days (partner_id, currency, day, due_day, earned, reversed, in_payouts, paid)
         SELECT partner_id, currency, day - 1, due_day, earned, 0, 0, 0 FROM ledger_days WHERE partner_id = @rich`,
        { rich },
      );
      await tx.run("UPDATE result_days SET revenue = @MOST WHERE owner_id = @rich AND currency <> ''", { MOST, rich });
      await tx.run(
        `INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
         SELECT owner_id, part, span, day - 1, currency, 0, 0, sales, revenue, 0 FROM result_days
         WHERE owner_id = @rich AND currency <> '' AND span = 1`,
        { rich },
      );
    });
  });
  afterAll(() => app.close());

  async function sell(): Promise<string> {
    const { partnerId, click } = await createReferrer(app);
    const body = { clickId: await click(), customerExternalId: `user_of_${partnerId}`, amount: 1_000, currency: 'usd' };
    expect((await app.call('POST', '/api/track/sale', { body })).status).toBe(200);
    return partnerId;
  }

  it.each([
    ['earnings', (id: string) => `/api/partners/${id}/earnings`],
    ['statistics', (id: string) => `/api/statistics?partnerId=${id}&interval=month`],
  ])('their %s are refused with a reason, and those of others are answered', async (_, path) => {
    const { status, body } = await app.call('GET', path(rich));
    expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(body.error.message).toContain('add up to more than ±9,007,199,254,740,991 minor units');
    expect((await app.call('GET', path(honest))).status).toBe(200);
  });

  it.each(['partners', 'results'] as const)('the check of %s finds it, and finishes', async (audit) => {
    const { count, first } = await runAudit(app.service, app.accountId, audit);
    expect(count).toBeGreaterThan(0);
    expect(first).toMatch(new RegExp(`${rich}|add up to more than`));
  });

  it.each([
    ['the overview', (_: string) => app.call('GET', '/api/overview')],
    ["the portal's report of earnings", (id: string) => ofPortal(id, 'earnings')],
    ["the portal's report of results", (id: string) => ofPortal(id, 'statistics')],
  ])('%s is refused with a reason that its route declares', async (_, read) => {
    // as if an earlier version had imported payouts of any amount
    await app.service.database.write((tx) => tx.run('UPDATE payouts SET amount = @MOST', { MOST }));
    const { status, body } = await read(rich);
    expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
  });

  async function ofPortal(enrollmentId: string, report: string) {
    const { publicToken } = (await app.call('POST', '/api/embed/token', { body: { enrollmentId } })).body;
    return app.call('GET', `/api/embed/referrals/${report}`, { key: publicToken });
  }
});
