import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventSender, startEventSender } from '../../src/events/sender.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createEventReceiver, type EventReceiver } from '../helpers/event-receiver.ts';
import { applyFacts, disputed, hints, received, refunded, refundUndone } from '../helpers/facts.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

describe.each(engines)('a change of a sale on %s', (engine) => {
  let app: TestApp;
  let receiver: EventReceiver;
  let sender: EventSender;
  let referrer: Referrer;
  let email: string;
  beforeAll(async () => {
    receiver = await createEventReceiver();
    app = await createTestApp(engine);
    sender = startEventSender(app.service, { pollMs: 1e9 });
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { selfReferral: 'flag' } });
    await app.call('POST', '/api/event-endpoints', { body: { url: receiver.url } });
    referrer = await createReferrer(app);
    email = (await app.call('GET', `/api/partners/${referrer.partnerId}`)).body.email;
  });
  afterAll(async () => {
    await sender.stop();
    await app.close();
    await receiver.close();
  });

  /** The events about the sale since the last call, and what the newest shows; only a sale by itself has a note of its refunds. */
  async function sentOf(saleId: string) {
    await sender.sendDue();
    const events = receiver.received.splice(0).filter(({ event }) => event.data.id === saleId);
    const { note: _, ...shown } = events.at(-1)?.event.data ?? {};
    if (events.length > 0) expect((await app.call('GET', `/api/sales/${saleId}`)).body).toMatchObject(shown);
    return { types: events.map(({ event }) => event.type), shown };
  }

  const apply = (...facts: Parameters<typeof applyFacts>[2][]) => applyFacts(app.service, app.accountId, ...facts);

  it('is reported when a dispute ends without a loss, and when a refund fails', async () => {
    const invoiceId = unique('in');
    const saleId = await sell(app, referrer, { invoiceId });
    await sentOf(saleId);
    const dispute = unique('dp');
    await apply(disputed([invoiceId], dispute, 500, 'open'));
    expect(await sentOf(saleId)).toMatchObject({ types: ['sale.disputed'], shown: { status: 'disputed' } });
    await apply(disputed([invoiceId], dispute, 500, 'won'));
    expect(await sentOf(saleId)).toMatchObject({ types: ['sale.updated'], shown: { status: 'pending' } });
    const refundId = unique('re');
    await apply(refunded([invoiceId], { refundId, amountMinor: 500 }));
    expect(await sentOf(saleId)).toMatchObject({ types: ['sale.refunded'], shown: { refundedAmount: 500 } });
    await apply(refundUndone([invoiceId], refundId, 500));
    const restored = { refundedAmount: 0, reversedCommissionAmount: 0 };
    expect(await sentOf(saleId)).toMatchObject({ types: ['sale.updated'], shown: restored });
    await apply(refundUndone([invoiceId], refundId, 500));
    expect((await sentOf(saleId)).types).toEqual([]);
  });

  it('is reported when a dispute is lost, as a refund only', async () => {
    const invoiceId = unique('in');
    const saleId = await sell(app, referrer, { invoiceId });
    const dispute = unique('dp');
    await apply(disputed([invoiceId], dispute, 500, 'open'));
    await sentOf(saleId);
    await apply(disputed([invoiceId], dispute, 500, 'lost'));
    const lost = { refundedAmount: 500, status: 'pending' };
    expect(await sentOf(saleId)).toMatchObject({ types: ['sale.refunded'], shown: lost });
  });

  it.each([
    ['approve', { review: 'approved', status: 'pending' }],
    ['reject', { review: 'rejected', status: 'rejected' }],
  ])('is reported when a review ends, once: %s', async (decision, shown) => {
    for (const amount of [10_000, 0]) {
      const saleId = await sell(app, referrer, { customerEmail: email, amount });
      await sentOf(saleId);
      expect((await app.call('POST', `/api/sales/${saleId}/${decision}`, { body: {} })).status).toBe(200);
      expect(await sentOf(saleId)).toMatchObject({ types: ['sale.updated'], shown });
      expect((await app.call('POST', `/api/sales/${saleId}/${decision}`, { body: {} })).status).toBe(409);
      expect((await sentOf(saleId)).types).toEqual([]);
    }
  });

  it('is reported when a processor reports what was paid, with the refunds that follow from it', async () => {
    const invoiceId = unique('in');
    const saleId = await sell(app, referrer, { invoiceId });
    await sentOf(saleId);
    await apply(received([invoiceId], hints({})));
    expect(await sentOf(saleId)).toMatchObject({ types: ['sale.updated'], shown: { grossAmount: 12_000 } });
    await apply(received([invoiceId], hints({})));
    expect((await sentOf(saleId)).types).toEqual([]);
    const bare = unique('in');
    const code = unique('CODE');
    await app.call('PATCH', `/api/partners/${referrer.partnerId}`, { body: { discountCodes: [code] } });
    await apply(received([bare], hints({}), { isBare: true, netMinor: 12_000, taxMinor: 0, discountCodes: [code] }));
    await apply(refunded([bare], { refundId: unique('re'), amountMinor: 6_000 }));
    const bareId = (await app.call('GET', `/api/sales?invoiceId=${bare}`)).body.data[0].id;
    await sentOf(bareId);
    await apply(received([bare], hints({})));
    const corrected = { amount: 10_000, commissionAmount: 2_000, reversedCommissionAmount: 1_000 };
    expect(await sentOf(bareId)).toMatchObject({ types: ['sale.updated'], shown: corrected });
  });

  it('that turns out to be a duplicate is reported once', async () => {
    const [one, other] = [unique('in'), unique('in')];
    const ids = [await sell(app, referrer, { invoiceId: one }), await sell(app, referrer, { invoiceId: other })];
    await apply(refunded([one], { refundId: unique('re'), amountMinor: 500 }));
    await apply(refunded([other], { refundId: unique('re'), amountMinor: 700 }));
    await sender.sendDue();
    receiver.clear();
    await apply({ kind: 'payment.referenced', references: [one, other] });
    await sender.sendDue();
    const events = receiver.received.filter(({ event }) => event.type.startsWith('sale.'));
    expect(events.map(({ event }) => event.type)).toEqual(['sale.refunded', 'sale.refunded']);
    expect(new Set(events.map(({ event }) => event.data.id))).toEqual(new Set(ids));
    expect(events.map(({ event }) => event.data.status).toSorted()).toEqual(['pending', 'refunded']);
  });
});
