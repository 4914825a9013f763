import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tolt } from '../../src/exchange/sources/tolt/index.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint } from '../helpers/story.ts';
import { chargeRefunded } from '../helpers/stripe-payloads.ts';
import { earningsOf, findings, moving } from './sources/moving.ts';
import { toltFixture } from './sources/others.ts';

/** https://docs.tolt.com/guides/refunds */
describe.each(engines)('refunds at Tolt after an import, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());
  const { run, server } = moving(() => app, tolt, toltFixture);

  const refund = { type: 'refund', revenue: '-2500', status: 'approved' };

  it('take back what was open, which is zero there, and deduct what was paid', async () => {
    const { refused } = await run();
    const commissions = server().lists['/commissions'] as { id: string }[];
    const [paid, open] = ['comm_1', 'comm_2'].map((id) => commissions.find((row) => row.id === id));
    server().lists['/commissions'] = [
      ...commissions.filter((row) => row !== open),
      { ...open, amount: '0', status: 'refunded' },
      { ...paid, ...refund, id: 'comm_9', amount: '-2000' },
    ];
    expect(await run({ isDryRun: true })).toMatchObject({ created: 1, changed: 1, refused });
    expect(await run()).toMatchObject({ created: 1, changed: 1, refused });
    expect(await run()).toMatchObject({ created: 0, changed: 0, refused });
    expect(await earningsOf(app, 'ana@example.com')).toMatchObject([{ held: 0, payable: -2_000, paid: 2_000 }]);
    expect(await findings(app)).toEqual([]);
  });

  it('are not deducted again if Stripe has reported them here', async () => {
    const stripe = await createEndpoint(app, 'stripe');
    const event = chargeRefunded('pi_9', 2_500, 2_500);
    const charge = { ...(event.data.object as object), id: 'ch_comm_1' };
    await stripe.deliver({ ...event, data: { ...event.data, object: charge } });
    const commissions = server().lists['/commissions'] as { id: string }[];
    const again = { ...commissions.find(({ id }) => id === 'comm_1'), ...refund, id: 'comm_10', amount: '-1000' };
    server().lists['/commissions'] = [...commissions, again];
    expect((await run()).report).toMatch(/^commission,comm_10,refused,.* of which a refund was taken back here, too/m);
    expect(await earningsOf(app, 'ana@example.com')).toMatchObject([{ payable: -4_000, paid: 2_000 }]);
  });
});
