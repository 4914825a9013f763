import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/audit/ledger.ts';
import { checkResults } from '../../src/audit/results.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

const ROUNDS = 12;
const CHECKS_MIN = 3;

describe.each(engines)('the checks during traffic, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0 } });
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());

  async function sellAndRefund(): Promise<void> {
    const saleId = await sell(app, referrer);
    const body = { refundId: unique('re'), amount: 1000 };
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body });
    await referrer.lead(unique('user'));
  }

  async function payOut(end: string): Promise<void> {
    await runPayouts(app, { at: '2099-12-31' });
    for (const { id } of await payoutsOf(app, referrer.partnerId, 'processing')) {
      await app.call('POST', `/api/payouts/${id}/${end}`);
    }
  }

  it('report nothing while sales, refunds and payouts change all that they compare', async () => {
    let isBusy = true;
    const work = (async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const end = ['paid', 'failed', 'cancel'][round % 3] as string;
        await Promise.all([...Array.from({ length: 8 }, sellAndRefund), payOut(end)]);
      }
    })().finally(() => {
      isBusy = false;
    });
    const found: unknown[] = [];
    let checks = 0;
    while (isBusy) {
      for await (const wrong of checkLedger(app.service, app.accountId)) found.push(wrong);
      for await (const wrong of checkResults(app.service, app.accountId)) found.push(wrong);
      checks += 1;
    }
    await work;
    expect(found).toEqual([]);
    expect(checks).toBeGreaterThanOrEqual(CHECKS_MIN);
    const statuses = new Set(
      (await payoutsOf(app, referrer.partnerId)).map(({ status }: { status: string }) => status),
    );
    expect([...statuses].sort()).toEqual(['canceled', 'failed', 'paid', 'queued']);
  });
});
