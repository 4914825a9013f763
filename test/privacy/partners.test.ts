import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventSender } from '../../src/events/sender.ts';
import { eraseFromEvents } from '../../src/privacy/events.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createEventReceiver, type EventReceiver } from '../helpers/event-receiver.ts';
import { addTransfer, hold, transferOf } from '../helpers/held-payouts.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { placesOf } from './places-of.ts';

const LAST_ATTEMPT = 'SELECT * FROM event_attempts ORDER BY event_id DESC LIMIT 1';

describe.each(engines)('erasing a partner, on %s', (engine) => {
  let app: TestApp;
  let receiver: EventReceiver;
  beforeAll(async () => {
    app = await createTestApp(engine);
    receiver = await createEventReceiver();
    const hooks = { url: receiver.url, types: ['partner.created'] };
    expect((await app.call('POST', '/api/event-endpoints', { body: hooks })).status).toBe(201);
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const stored = (text: string) => placesOf(app.service.database, text);

  it('is possible once the balance is zero, even if some of it is on hold, also in the audit log', async () => {
    const partner = await createReferrer(app, { tenantId: unique('tenant') });
    const path = `/api/partners/${partner.partnerId}`;
    const { name, email } = (await app.call('GET', path)).body;
    await app.call('PATCH', path, { body: { name: `${name} Example` } });
    const { publicToken } = (await app.call('POST', '/api/embed/token', { body: { enrollmentId: partner.partnerId } }))
      .body;
    const byToken = { key: publicToken, body: { rail: 'paypal', email: 'ana@example.com' } };
    expect((await app.call('PUT', '/api/embed/referrals/payout-details', byToken)).status).toBe(200);
    const customer = unique('user');
    await partner.lead(customer);
    const sale = { customerExternalId: customer, amount: 1_000, currency: 'usd', invoiceId: unique('order') };
    await app.call('POST', '/api/sales', { body: sale });
    const refused = await app.call('DELETE', `${path}/personal-data`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(refused.body.error.message).toContain(' is 2.00 USD: ');
    const disclosed = (await app.call('GET', `${path}/personal-data`)).body;
    expect(disclosed).toMatchObject({ email, payoutDetails: { rail: 'paypal', email: 'a…@example.com' } });
    const settled = { partnerId: partner.partnerId, amount: -200, currency: 'usd', reason: 'paid in cash' };
    await app.call('POST', '/api/adjustments', { body: settled });

    expect((await app.call('DELETE', `${path}/personal-data`)).status).toBe(204);
    await eraseFromEvents(app.service);
    expect(await stored(email)).toEqual([]);
    expect(await stored(name)).toEqual([]);
    expect(await stored('Erased partner, embed token of key_')).toHaveLength(1);
    expect((await app.call('GET', path)).body).toMatchObject({
      name: 'Erased partner',
      email: `${partner.partnerId}@erased.invalid`,
    });
  });

  it('waits until it is known what became of a transfer, and leaves no account at the provider', async () => {
    const partner = await createReferrer(app);
    const { partnerId } = partner;
    await sell(app, partner);
    await runPayouts(app, { at: '2099-12-31' });
    const [{ id }] = await payoutsOf(app, partnerId, 'processing');
    await addTransfer(app.service.database, id, 'sending');
    const adjust = async (amount: number) => {
      const body = { partnerId, amount, currency: 'usd', reason: 'paid in cash' };
      expect((await app.call('POST', '/api/adjustments', { body })).status).toBe(201);
    };
    const erase = async () => {
      const { status, body } = await app.call('DELETE', `/api/partners/${partnerId}/personal-data`);
      return [status, body?.error?.message];
    };
    // in total, nothing seems to be owed
    await adjust(-2000);
    const underWay = `20.00 USD is on its way to ${partnerId}`;
    expect(await erase()).toEqual([409, `${underWay}: wait until it is paid, failed or held, then erase`]);
    await app.service.database.write((tx) => tx.run("UPDATE payout_transfers SET status = 'held'"));
    await hold(app.service, app.accountId, id);
    expect(await erase()).toEqual([409, `${underWay}: record whether it was paid, then erase`]);
    expect(await transferOf(app.service.database, id)).toMatchObject({ destination: 'acct_1NabcdEXAMPLE' });
    await app.call('POST', `/api/payouts/${id}/paid`);
    await adjust(2000);
    expect(await erase()).toEqual([204, undefined]);
    expect(await transferOf(app.service.database, id)).toMatchObject({ status: 'sent', destination: null });
  });

  it('also erases one who was deleted, from the audit log and from events', async () => {
    const named = { name: `Name of ${unique('partner')}`, email: `${unique('partner')}@example.com` };
    const { id } = (await app.call('POST', '/api/partners', { body: named })).body;
    expect((await app.call('DELETE', `/api/partners/${id}`)).status).toBe(204);
    expect(await stored(named.email)).toHaveLength(3);
    for (let times = 0; times < 2; times += 1) {
      expect((await app.call('DELETE', `/api/partners/${id}/personal-data`)).status).toBe(204);
    }
    await eraseFromEvents(app.service);
    for (const gone of Object.values(named)) expect(await stored(gone)).toEqual([]);
  });

  it('leaves no response to an event that was being sent', async () => {
    const sender = startEventSender(app.service, { pollMs: 1e9 });
    await sender.sendDue();
    receiver.clear();
    const email = `${unique('partner')}@example.com`;
    const { partnerId } = await createReferrer(app, { email });
    const erased = Promise.withResolvers<void>();
    receiver.answer = (_, response) => {
      void erased.promise.then(() => response.writeHead(500).end(`no room for ${receiver.received.at(-1)?.body}`));
    };
    const sending = sender.sendDue();
    await receiver.arrived(1);
    expect((await app.call('DELETE', `/api/partners/${partnerId}/personal-data`)).status).toBe(204);
    await eraseFromEvents(app.service);
    erased.resolve();
    await sending;
    const [attempt] = await app.service.database.read((tx) => tx.all(LAST_ATTEMPT));
    expect(attempt).toMatchObject({ response_status: 500, response: null });
    await sender.stop();
  });
});
