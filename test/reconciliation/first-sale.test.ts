import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldItems } from '../../src/reconciliation/retention.ts';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { openStripeApi, type StripeApi } from '../adapters/stripe-api.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';

const DAY_MS = 86_400_000;

describe.each(engines)('what Stripe lists with the newest first, on %s,', (engine) => {
  let app: TestApp;
  let api: StripeApi;
  let aheadMs = 0;
  beforeAll(async () => {
    api = await openStripeApi();
    app = await createTestApp(engine, { service: { clock: () => Date.now() + aheadMs } });
  });
  afterAll(async () => {
    await app.close();
    await api.close();
  });

  it('is booked with the oldest first, so that a first sale earns as the first', async () => {
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { durationMonths: 0 } });
    const externalId = unique('user');
    aheadMs = -200 * DAY_MS;
    await (await createReferrer(app)).lead(externalId);
    aheadMs = 0;
    const at = (days: number) => Math.floor((Date.now() - days * DAY_MS) / 1000);
    // records before the events of the last 28 days
    for (const [days, amount] of [
      [130, 1_000],
      [100, 2_000],
      [70, 3_000],
    ] as const) {
      const { object } = invoicePaid({ externalId, amount, subscription: 'sub_1', customer: 'cus_1' }).data;
      api.add('invoices', { ...object, created: at(days), livemode: true, status_transitions: { paid_at: at(days) } });
    }
    const event = invoicePaid({ externalId, amount: 4_000, subscription: 'sub_1', customer: 'cus_1' });
    api.add('events', { ...event, created: at(5) });

    const { id } = await createEndpoint(app, 'stripe', { accessToken: 'rk_live_example', apiUrl: api.url });
    const body = { since: new Date(Date.now() - 150 * DAY_MS).toISOString() };
    const run = (await app.call('POST', `/api/webhook-endpoints/${id}/reconcile`, { body })).body;
    await continueReconciliations(app.service);
    const path = `/api/reconciliations/${run.id}`;
    const { status, counts, missing } = (await app.call('GET', path)).body;
    expect([status, counts.sales]).toEqual(['completed', 4]);
    const { data } = (await app.call('GET', '/api/sales')).body;
    const earned = data.map(({ amount, commissionAmount }: Record<string, number>) => [amount, commissionAmount]);
    expect(earned.toSorted(([a]: number[], [b]: number[]) => (a ?? 0) - (b ?? 0))).toEqual([
      [1_000, 200],
      [2_000, 0],
      [3_000, 0],
      [4_000, 0],
    ]);
    expect(missing).toHaveLength(4);

    aheadMs = 89 * DAY_MS;
    expect(await deleteOldItems(app.service)).toBe(0);
    aheadMs = 91 * DAY_MS;
    expect(await deleteOldItems(app.service)).toBe(4);
    aheadMs = 0;
    expect((await app.call('GET', path)).body).toMatchObject({ counts, missing: [] });
  });
});
