import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Processor } from '../../src/core/processor.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { asId } from '../helpers/ids.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { importTextFor } from './import-for.ts';

const BEFORE = '2026-10-01T12:00:00Z';
const since = () => new Date(Date.now() + 86_400_000).toISOString();

/** A refund of 30.00 that was made before the move, and succeeds after it. */
const REPORTS: [Processor, string, (payment: string) => object[]][] = [
  [
    'paddle',
    'adjustment.updated',
    (payment) => [
      {
        event_id: unique('evt'),
        event_type: 'adjustment.updated',
        occurred_at: since(),
        data: {
          id: unique('adj'),
          action: 'refund',
          transaction_id: payment,
          currency_code: 'USD',
          status: 'approved',
          totals: { subtotal: '2500', tax: '500', total: '3000' },
          created_at: BEFORE,
        },
      },
    ],
  ],
  [
    'polar',
    'refund.updated',
    (payment) => [
      {
        type: 'refund.updated',
        timestamp: since(),
        data: {
          id: unique('re'),
          created_at: BEFORE,
          order_id: payment,
          status: 'succeeded',
          currency: 'usd',
          amount: 2_500,
          tax_amount: 500,
        },
      },
      {
        type: 'order.refunded',
        timestamp: since(),
        data: { id: payment, currency: 'usd', refunded_amount: 2_500, refunded_tax_amount: 500 },
      },
    ],
  ],
];

describe.each(engines)('a refund that waits for its approval during the move, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());

  it.each(REPORTS)('takes nothing again if the file has deducted it, at %s', async (processor, type, reportsOf) => {
    const payment = unique('pay');
    const text =
      'Invoice,Charge,Processor,Partner,User ID,Amount,Gross amount,refundedAmount,Currency,Date,Commission,Status\n' +
      `${unique('in')},${payment},${processor},ANA,${unique('mia')},75.00,120.00,30.00,USD,2026-09-01,15.00,due\n`;
    const { accountId } = app;
    const owedBefore = (await endStateOf(app.service, accountId)).owed;
    const account = { ...app, partnerId: referrer.partnerId, clickId: asId<'clk'>('clk_none') };
    expect(await importTextFor(app, account, { kind: 'sales', text, origin: 'Old service' })).toMatchObject({
      created: 1,
      refused: 0,
    });
    const { deliver } = await createEndpoint(app, processor);
    const answers: string[] = [];
    for (const report of reportsOf(payment)) answers.push((await deliver(report, type)).body.outcome);
    expect((await endStateOf(app.service, accountId)).owed - owedBefore, answers.join(', ')).toBe(1_500);
  });
});
