import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SENT } from '../../.ci/generate/sent-events.ts';
import { EVENT_TYPES } from '../../src/core/event.ts';
import { listEvents } from '../../src/events/list.ts';
import { recordEvent } from '../../src/events/record.ts';
import { eventListQuery } from '../../src/events/schemas.ts';
import { type EventSender, startEventSender } from '../../src/events/sender.ts';
import { recordApprovals } from '../../src/payments/approved.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createEventReceiver, type EventReceiver, verifyEvent } from '../helpers/event-receiver.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { hold } from '../helpers/held-payouts.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { chargeRefunded, checkoutCompleted, disputeOf, invoicePaid, refundOf } from '../helpers/stripe-payloads.ts';

const DAY_MS = 86_400_000;

describe.each(engines)('events on %s', (engine) => {
  let app: TestApp;
  let receiver: EventReceiver;
  let sender: EventSender;
  let stripe: EndpointUnderTest;
  let referrer: Referrer;
  let secret: string;
  let later = 0;
  beforeAll(async () => {
    receiver = await createEventReceiver();
    app = await createTestApp(engine, { service: { clock: () => Date.now() + later } });
    sender = startEventSender(app.service, { pollMs: 1e9 });
    stripe = await createEndpoint(app, 'stripe');
    const body = { url: receiver.url, types: [...EVENT_TYPES] };
    const created = await app.call('POST', '/api/event-endpoints', { body });
    expect(created.status).toBe(201);
    secret = created.body.secret;
    referrer = await createReferrer(app);
  });
  afterEach(() => {
    receiver.clear();
  });
  afterAll(async () => {
    await sender.stop();
    await app.close();
    await receiver.close();
  });

  /** Sends what is due; returns the new events by type, each verified. */
  async function sent(): Promise<Map<string, Record<string, unknown>[]>> {
    await sender.sendDue();
    const events = receiver.received.splice(0);
    // the receiver uses the real time
    if (later === 0) for (const event of events) verifyEvent(secret, event);
    const byType = Map.groupBy(events, ({ event }) => event.type);
    return new Map([...byType].map(([type, found]) => [type, found.map(({ event }) => event.data)]));
  }

  it('of every type are recorded where they happen, signed, and contain the resource as the API returns it', async () => {
    const seen = new Map<string, Record<string, unknown>[]>();
    const collect = async () => {
      for (const [type, data] of await sent()) seen.set(type, [...(seen.get(type) ?? []), ...data]);
    };
    const customer = unique('user');
    const intent = unique('pi');
    await referrer.lead(customer);
    expect(
      (await stripe.deliver(checkoutCompleted({ externalId: customer, paymentIntent: intent }))).body.outcome,
    ).toBe('sale');
    await collect();
    const [sale] = seen.get('sale.created') ?? [];
    expect((await app.call('GET', `/api/sales/${sale?.id}`)).body).toMatchObject(sale ?? {});
    await stripe.deliver(chargeRefunded(intent, 5_000, 100));
    await stripe.deliver(disputeOf(intent, unique('dp'), 200));
    await stripe.deliver(refundOf(intent, unique('re'), 50, 'failed'));
    await stripe.deliver(chargeRefunded(intent, 5_000, 150, 'eur'));
    await stripe.deliver(invoicePaid({ invoice: unique('in'), externalId: unique('stranger'), amount: 900 }));
    const other = await sell(app, referrer);
    later += 31 * DAY_MS;
    await recordApprovals(app.service);
    await collect();
    expect(seen.get('sale.approved')?.map(({ id }) => id)).toEqual([other]);
    for (const end of ['failed', 'cancel', 'paid']) {
      await runPayouts(app);
      const [payout] = await payoutsOf(app, referrer.partnerId, 'processing');
      expect((await app.call('POST', `/api/payouts/${payout.id}/${end}`, { body: {} })).status).toBe(200);
    }
    await sell(app, referrer);
    await runPayouts(app, { at: new Date(Date.now() + later + 31 * DAY_MS).toISOString() });
    const [unclear] = await payoutsOf(app, referrer.partnerId, 'processing');
    expect(await hold(app.service, app.accountId, unclear.id)).toBe(true);
    await collect();
    const { transfer, ...held } = (await app.call('GET', `/api/payouts?status=held`)).body.data[0];
    expect([seen.get('payout.held'), transfer]).toEqual([[held], null]);
    // once per sale
    await recordApprovals(app.service);
    expect(await sent()).toEqual(new Map());
    expect([...seen.keys()].sort()).toEqual([...EVENT_TYPES].sort());
    for (const [type, data] of seen) {
      for (const resource of data) {
        expect(resource, type).toEqual(SENT[type as keyof typeof SENT].data.strict().parse(resource));
      }
    }
    const amounts = (seen.get('commission.created') ?? []).map(({ kind, amount }) => [kind, Math.sign(Number(amount))]);
    expect(amounts).toContainEqual(['commission', 1]);
    expect(amounts).toContainEqual(['reversal', -1]);
  });

  it('list their endpoints oldest first, also after one of them has changed', async () => {
    const body = { url: receiver.url, types: ['lead.created'] };
    const created = [1, 2].map(() => app.call('POST', '/api/event-endpoints', { body }));
    const added = (await Promise.all(created)).map((answer) => answer.body.id as string).sort();
    await app.call('PATCH', `/api/event-endpoints/${added[0]}`, { body: { description: 'changed' } });
    // with statistics, PostgreSQL reads a small table in the order in which its rows were written
    await app.service.database.write((tx) => tx.run('ANALYZE event_endpoints'), { alone: true });
    await referrer.lead(unique('user'));
    const { deliveries } = (await app.call('GET', '/api/events?type=lead.created&limit=1')).body.data[0];
    expect(deliveries.map(({ endpointId }: { endpointId: string }) => endpointId).slice(1)).toEqual(added);
    for (const id of added) await app.call('DELETE', `/api/event-endpoints/${id}`);
    await sender.sendDue();
  });

  it('are not recorded when the unit of work is rolled back', async () => {
    const count = async () => (await app.call('GET', '/api/events?limit=100')).body.data.length;
    const before = await count();
    const { accountId } = app;
    const failing = app.service.database.write(async (tx) => {
      await recordEvent(tx, { accountId, type: 'sale.created', occurredAt: Date.now(), data: () => ({ id: 'none' }) });
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    const invoiceId = unique('inv');
    await sell(app, referrer, { invoiceId });
    const first = await sent();
    const body = { clickId: await referrer.click(), customerExternalId: unique('user'), amount: 100, invoiceId };
    expect((await app.call('POST', '/api/track/sale', { body })).status).toBe(409);
    // only the click
    expect([...(await sent()).keys()]).toEqual(['click.created']);
    expect(first.get('sale.created')?.length).toBe(1);
    expect(await count()).toBe(Math.min(100, before + [...first.values()].flat().length + 1));
  });

  it('are neither written nor read when nobody in the account wants them', async () => {
    const other = await app.addAccount('Other Ltd');
    let reads = 0;
    const { database } = app.service;
    await database.write(async (tx) => {
      const happening = {
        accountId: other.accountId,
        type: 'sale.created' as const,
        occurredAt: 1,
        data() {
          reads += 1;
          return {};
        },
      };
      for (let time = 0; time < 10; time += 1) await recordEvent(tx, happening);
    });
    expect(reads).toBe(0);
    const listed = await listEvents(app.service, other.accountId, parseInput(eventListQuery, {}));
    expect(listed.data).toEqual([]);
  });

  it('stay below 20 KB: metadata is dropped first, then the longest lists', async () => {
    const customer = unique('user');
    const metadata = { text: '€'.repeat(9_900) };
    await referrer.lead(customer, { metadata });
    await sender.sendDue();
    const lead = receiver.received.find(({ event }) => event.type === 'lead.created');
    expect(lead?.event.data).toMatchObject({ customer: { externalId: customer }, metadata: null });
    expect(Buffer.byteLength(lead?.body ?? '')).toBeLessThan(20_000);
    const codes = Array.from({ length: 50 }, (_, index) => `${'ß'.repeat(240)}${index}`);
    const { accountId } = app;
    const data = () => ({ name: 'Paula', discountCodes: codes, kept: ['a'] });
    await app.service.database.write((tx) =>
      recordEvent(tx, { accountId, type: 'partner.created', occurredAt: Date.now(), data }),
    );
    await sender.sendDue();
    expect(receiver.received.at(-1)?.event.data).toEqual({ name: 'Paula', discountCodes: [], kept: ['a'] });
  });

  it('report the approval of a sale that was flagged or disputed at the end of its hold once that is resolved, and only once', async () => {
    const terms = { selfReferral: 'flag' };
    const { programId } = app;
    expect((await app.call('PATCH', `/api/programs/${programId}`, { body: terms })).status).toBe(200);
    const partner = (await app.call('GET', `/api/partners/${referrer.partnerId}`)).body;
    const flagged = await sell(app, referrer, { customerEmail: partner.email });
    expect((await app.call('GET', `/api/sales/${flagged}`)).body.review).toBe('flagged');
    later += 31 * DAY_MS;
    await recordApprovals(app.service);
    const approvedIds = async () => (await sent()).get('sale.approved')?.map(({ id }) => id) ?? [];
    expect(await approvedIds()).not.toContain(flagged);
    expect((await app.call('POST', `/api/sales/${flagged}/approve`, { body: {} })).status).toBe(200);
    await recordApprovals(app.service);
    await recordApprovals(app.service);
    expect(await approvedIds()).toEqual([flagged]);
  });

  it('report an approval again, once, when the sale earns only because its payment turns out to be earlier', async () => {
    const { partnerId, click } = await createReferrer(app);
    const [body, paidAt] = [{ clickId: await click(), customerExternalId: unique('user') }, Date.now() + later - 1_000];
    expect((await app.call('POST', `/api/partners/${partnerId}/archive`)).status).toBe(200);
    later += 1_000;
    const invoiceId = unique('in');
    const sold = await app.call('POST', '/api/track/sale', { body: { ...body, invoiceId, amount: 10_000 } });
    expect(sold.status).toBe(200);
    later += 31 * DAY_MS;
    const approved = async () => {
      for (const _again of [1, 2]) await recordApprovals(app.service);
      const ofSale = (await sent()).get('sale.approved')?.filter(({ id }) => id === sold.body.sale.id) ?? [];
      return ofSale.map(({ commissionAmount }) => commissionAmount);
    };
    expect(await approved()).toEqual([0]);
    for (const _again of [1, 2]) {
      await applyFacts(app.service, app.accountId, received([invoiceId], hints({}), { occurredAt: paidAt }));
    }
    expect(await approved()).toEqual([2_000]);
  });
});
