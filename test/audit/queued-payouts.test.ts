import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Disagreement } from '../../src/audit/disagreement.ts';
import { checkPartnersOf } from '../../src/audit/ledger.ts';
import type { Database } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

describe.each(engines)("the check of many partners' queued payouts on %s", (engine) => {
  let app: TestApp;
  const referrers: Referrer[] = [];
  let reportsOfOne = 0;

  beforeAll(async () => {
    app = await createTestApp(engine);
    await addReferrer();
    ({ reports: reportsOfOne } = await check());
    for (let count = 1; count < 4; count += 1) await addReferrer();
  });
  afterAll(() => app.close());

  async function addReferrer(): Promise<void> {
    const referrer = await createReferrer(app);
    await referrer.lead(unique('user'));
    await sell(app, referrer, { amount: 1000 });
    referrers.push(referrer);
  }

  async function check(): Promise<{ found: Disagreement[]; reports: number }> {
    let reports = 0;
    const database: Database = {
      ...app.service.database,
      report(unit, options) {
        reports += 1;
        return app.service.database.report(unit, options);
      },
    };
    const found: Disagreement[] = [];
    for await (const difference of checkPartnersOf({ database }, app.accountId)) found.push(difference);
    return { found, reports };
  }

  const change = (sql: string, partnerId: string | undefined) =>
    app.service.database.write((tx) => tx.run(sql, { partnerId: partnerId ?? '' }));

  it('asks as little about four partners as about one', async () => {
    expect(await check()).toEqual({ found: [], reports: reportsOfOne });
  });

  it('names the partner of each difference, in the order of their ids', async () => {
    const [, wrong, missing, miscounted] = referrers.map(({ partnerId }) => partnerId).sort();
    await change('UPDATE payouts SET amount = amount + 1 WHERE partner_id = @partnerId', wrong);
    await change("UPDATE payouts SET currency = 'xts' WHERE partner_id = @partnerId", missing);
    await change('UPDATE payouts SET entry_count = 2 WHERE partner_id = @partnerId', miscounted);
    const { found } = await check();
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^what is open adds up to (\d+), not \d+$/),
      expect.stringMatching(/^what is open adds up to 0, not \d+$/),
      'has entries in usd but no queued payout',
      '1 entries are open, but the payout says 2',
    ]);
    expect(found[2]?.id).toBe(missing);
  });
});
