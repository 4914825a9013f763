import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillKey } from '../../adapters/contract/backfill.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { unique } from '../helpers/story.ts';
import {
  chargeRefunded,
  checkoutCompleted,
  checkoutUnpaid,
  disputeOf,
  invoicePaid,
  invoicePaymentPaid,
  paymentCaptured,
  refundOf,
  type stripeEvent,
} from '../helpers/stripe-payloads.ts';
import { createStage, type Stage, write } from './stage.ts';

type Event = ReturnType<typeof stripeEvent>;

/** The same, as a record of the API. */
const recordOf = <Sent extends Event>(event: Sent): Sent => ({
  ...event,
  id: backfillKey(event.type, event.data.object),
});

describe.each(engines)('what a record adds to what webhooks have said, on %s,', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());

  const salesOf = async (amount: number) =>
    (await endStateOf(stage.app.service, stage.app.accountId)).sales.filter((sale) => sale.grossAmount === amount);
  async function customer(): Promise<string> {
    const externalId = unique('user');
    await stage.referrer.lead(externalId);
    return externalId;
  }

  it('is a sale, even if a webhook has told of its refund only', async () => {
    const { past, endpoint } = stage;
    const paymentIntent = unique('pi');
    await endpoint.deliver(chargeRefunded(paymentIntent, 8_100, 100));
    const announced = checkoutUnpaid({ externalId: await customer(), amount: 8_100, paymentIntent });
    write(past, recordOf(announced), recordOf(paymentCaptured(paymentIntent, 8_100)));
    const run = await stage.reconcile();
    expect(await salesOf(8_100)).toMatchObject([{ refundedAmount: 100 }]);
    expect(run.counts).toMatchObject({ read: 2, known: 0, sales: 1, other: 1 });
  });

  it('is money that somebody announces later', async () => {
    const { past, endpoint } = stage;
    const paymentIntent = unique('pi');
    await endpoint.deliver(chargeRefunded(paymentIntent, 8_200, 100));
    write(past, recordOf(paymentCaptured(paymentIntent, 8_200)));
    expect((await stage.reconcile()).counts).toMatchObject({ read: 1, known: 0, other: 1 });
    const announced = checkoutUnpaid({ externalId: await customer(), amount: 8_200, paymentIntent });
    expect((await endpoint.deliver(announced)).body.outcome).toBe('sale');
    expect(await salesOf(8_200)).toMatchObject([{ refundedAmount: 100 }]);
  });

  it('makes a parked payment findable for a customer who signs up later', async () => {
    const { past, endpoint, referrer } = stage;
    const externalId = unique('user');
    const sent = invoicePaid({ customer: unique('cus'), subscription: unique('sub'), amount: 8_400 });
    expect((await endpoint.deliver(sent)).body.outcome).toBe('unattributed');
    const object = {
      ...sent.data.object,
      parent: {
        type: 'subscription_details',
        subscription_details: { subscription: unique('sub'), metadata: { svcCustomerExternalId: externalId } },
      },
    };
    write(past, recordOf({ ...sent, data: { object } }));
    expect((await stage.reconcile()).counts).toMatchObject({ read: 1, known: 0 });
    await referrer.lead(externalId);
    expect(await salesOf(8_400)).toHaveLength(1);
  });

  it('is nothing, if webhooks have said the same', async () => {
    const { past, endpoint } = stage;
    const paymentIntents = [unique('pi'), unique('pi'), unique('pi')] as const;
    const [counted, awaited, parked] = paymentIntents;
    const events: Event[] = [
      checkoutUnpaid({ externalId: await customer(), amount: 8_600, paymentIntent: counted }),
      paymentCaptured(counted, 8_600),
      chargeRefunded(counted, 8_600, 500),
      refundOf(counted, unique('re'), 500, 'succeeded'),
      disputeOf(counted, unique('dp'), 8_600),
      checkoutUnpaid({ externalId: unique('user'), amount: 8_700, paymentIntent: awaited }),
      refundOf(awaited, unique('re'), 500, 'succeeded'),
      checkoutCompleted({ externalId: unique('user'), amount: 8_800, paymentIntent: parked, customer: unique('cus') }),
      refundOf(parked, unique('re'), 500, 'failed'),
      invoicePaymentPaid(unique('in'), parked),
      checkoutCompleted({ externalId: await customer(), amount: 8_850, customer: unique('cus') }),
      invoicePaid({
        externalId: await customer(),
        amount: 8_860,
        customer: unique('cus'),
        subscription: unique('sub'),
      }),
    ];
    for (const event of events) await endpoint.deliver(event);
    write(past, ...events.map(recordOf));
    expect(await stage.reconcile()).toMatchObject({
      missing: [],
      counts: { read: events.length, known: events.length },
    });
  });
});
