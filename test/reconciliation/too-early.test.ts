import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { unique } from '../helpers/story.ts';
import { checkoutCompleted, checkoutUnpaid, invoicePaid, paymentCaptured } from '../helpers/stripe-payloads.ts';
import { createStage, type Stage, since, write } from './stage.ts';

const DAY_MS = 86_400_000;
const NO_PAYMENT = { sales: 0, unattributed: 0, reversals: 0 };

/** Parked payments wait 90 days for their customer. */
describe.each(engines)('a payment that is read back long after it was made, on %s,', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());
  beforeEach(() => {
    stage.clock.aheadMs = 0;
  });

  const daysAgo = (days: number) => Math.floor((Date.now() - days * DAY_MS) / 1000);
  const paid = (days: number, members: Parameters<typeof checkoutCompleted>[0]) => ({
    ...checkoutCompleted(members),
    created: daysAgo(days),
  });
  const countsOf = async (payment: object) => {
    write(stage.past, payment);
    const dry = (await stage.reconcile({ since: since(300), dryRun: true })).counts;
    const { counts } = await stage.reconcile({ since: since(300) });
    expect(dry).toEqual(counts);
    return counts;
  };
  /** The customer is reported so many days ago. */
  async function leadOf(days: number): Promise<string> {
    const externalId = unique('user');
    stage.clock.aheadMs = -days * DAY_MS;
    await stage.referrer.lead(externalId);
    stage.clock.aheadMs = 0;
    return externalId;
  }

  it('counts if its customer was known before it, or within the time that payments wait', async () => {
    expect(await countsOf(paid(200, { externalId: await leadOf(201) }))).toMatchObject({ sales: 1, ignored: 0 });
    expect(await countsOf(paid(200, { externalId: await leadOf(111) }))).toMatchObject({ sales: 1, ignored: 0 });
    expect(await countsOf(paid(89, { externalId: await leadOf(0) }))).toMatchObject({ sales: 1, ignored: 0 });
  });

  it('does not count if its customer came later', async () => {
    const books = await endStateOf(stage.app.service, stage.app.accountId);
    expect(await countsOf(paid(200, { externalId: await leadOf(109) }))).toMatchObject(NO_PAYMENT);
    expect(await countsOf(paid(91, { externalId: await leadOf(0) }))).toMatchObject(NO_PAYMENT);
    expect(await endStateOf(stage.app.service, stage.app.accountId)).toEqual(books);
  });

  it('still says who its customer is, whose later payments count', async () => {
    const externalId = await leadOf(109);
    const customer = unique('cus');
    expect(await countsOf(paid(200, { externalId, customer }))).toMatchObject({ ...NO_PAYMENT, other: 1 });
    const { outcome } = (await stage.endpoint.deliver(invoicePaid({ customer, amount: 3_000 }))).body;
    expect(outcome).toBe('sale');
  });

  it.each([
    [109, 0],
    [111, 1],
  ])('whose money came later counts alike, in any order: known for %i days', async (days, sales) => {
    for (const inOrder of [(events: object[]) => events, (events: object[]) => events.toReversed()]) {
      const paymentIntent = unique('pi');
      const announced = checkoutUnpaid({ externalId: await leadOf(days), amount: 5_000, paymentIntent });
      const captured = { ...paymentCaptured(paymentIntent, 5_000), created: daysAgo(200) };
      write(stage.past, ...inOrder([{ ...announced, created: daysAgo(200) }, captured]));
      const { counts } = await stage.reconcile({ since: since(300) });
      expect(counts).toMatchObject({ ...NO_PAYMENT, sales });
    }
  });

  it('waits for nobody if it would have stopped waiting by now', async () => {
    expect(await countsOf(paid(91, {}))).toMatchObject({ unattributed: 0, ignored: 1 });
    expect(await countsOf(paid(89, {}))).toMatchObject({ unattributed: 1, ignored: 0 });
  });

  it('counts if it names the click that brought its customer', async () => {
    const event = paid(200, {});
    const metadata = { svc_id: await stage.referrer.click() };
    const payment = { ...event, data: { object: { ...event.data.object, metadata } } };
    expect(await countsOf(payment)).toMatchObject({ sales: 1, ignored: 0 });
  });

  it('waits for its customer from when it was made, not from when it was read back', async () => {
    for (const [days, sales] of [
      [88, 0],
      [86, 1],
    ] as const) {
      const externalId = unique('user');
      const payment = paid(days, { externalId });
      expect(await countsOf(payment)).toMatchObject({ unattributed: 1 });
      const [parked] = (await stage.app.call('GET', '/api/parked-payments')).body.data;
      expect(Date.parse(parked.expiresAt)).toBe((payment.created + 90 * 86_400) * 1000);
      stage.clock.aheadMs = 3 * DAY_MS;
      await stage.referrer.lead(externalId);
      stage.clock.aheadMs = 0;
      const sold = await stage.app.call('GET', `/api/sales?customerExternalId=${externalId}`);
      expect([days, sold.body.data.length]).toEqual([days, sales]);
    }
  });
});
