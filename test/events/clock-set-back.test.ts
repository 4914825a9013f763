import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { recordEvent } from '../../src/events/record.ts';
import { type EventSender, startEventSender } from '../../src/events/sender.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { answerWith, createEventReceiver, type EventReceiver } from '../helpers/event-receiver.ts';

const HOUR = 3_600_000;
const LEASE = 30_000;

describe.each(engines)('events after the clock was an hour ahead for a moment, on %s', (engine) => {
  let app: TestApp;
  let receiver: EventReceiver;
  let endpointId: string;
  let sender: EventSender;
  let now = 0;
  let passedMs = 0;
  beforeAll(async () => {
    receiver = await createEventReceiver();
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  beforeEach(async () => {
    now = Date.now();
    const body = { url: receiver.url, types: ['sale.created'] };
    endpointId = (await app.call('POST', '/api/event-endpoints', { body })).body.id;
    sender = startSender();
  });
  afterEach(async () => {
    await sender.stop();
    await app.call('DELETE', `/api/event-endpoints/${endpointId}`);
    receiver.clear();
    receiver.answer = answerWith(204);
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const startSender = (service = app.service) =>
    startEventSender(service, { pollMs: 1e9, random: () => 0.5, stopwatch: () => passedMs });
  const happen = (accountId = app.accountId) => {
    const event = { accountId, type: 'sale.created', occurredAt: now, data: () => ({}) } as const;
    return app.service.database.write((tx) => recordEvent(tx, event));
  };
  /** Lets this time pass, then sends what is due; returns how many events arrived. */
  async function passed(ms: number, by = sender): Promise<number> {
    now += ms;
    passedMs += ms;
    const before = receiver.received.length;
    await by.sendDue();
    return receiver.received.length - before;
  }
  /** One failed attempt an hour ahead. */
  async function failAhead(headers = {}): Promise<void> {
    now += HOUR;
    receiver.answer = answerWith(503, headers);
    await happen();
    expect(await passed(0)).toBe(1);
    receiver.answer = answerWith(204);
    now -= HOUR;
    receiver.clear();
  }

  it('are sent again within a minute, the one that had failed as well', async () => {
    await failAhead();
    for (let count = 0; count < 5; count += 1) await happen();
    expect(await passed(500)).toBe(0);
    await passed(LEASE);
    expect(receiver.ids().length).toBe(6);
    expect(await passed(LEASE)).toBe(0);
  });

  it('that fail later count from the right time', async () => {
    await failAhead();
    receiver.answer = answerWith(503);
    await passed(LEASE);
    expect(await passed(LEASE)).toBe(1);
    const { failingSince } = (await app.call('GET', `/api/event-endpoints/${endpointId}`)).body;
    expect(failingSince).toBe(new Date(now).toISOString());
  });

  it('keep the pause that an endpoint had asked for before', async () => {
    receiver.answer = answerWith(503, { 'retry-after': '86400' });
    await happen();
    expect(await passed(0)).toBe(1);
    receiver.answer = answerWith(204);
    for (let count = 0; count < 4; count += 1) expect(await passed(LEASE)).toBe(0);
    expect(await passed(24 * HOUR)).toBe(1);
  });

  it('are sent although they were recorded an hour ahead', async () => {
    now += HOUR;
    await happen();
    now -= HOUR;
    await passed(LEASE);
    await passed(LEASE);
    expect(receiver.ids().length).toBe(1);
  });

  it('are taken over from a process that was killed then, but not from one that goes on', async () => {
    const lease = async (leasedUntil: number) => {
      await app.service.database.write((tx) =>
        tx.run('UPDATE event_endpoints SET leased_by = @other, leased_until = @leasedUntil WHERE id = @endpointId', {
          other: 'other',
          leasedUntil,
          endpointId,
        }),
      );
    };
    // on SQLite, this process can have no living neighbour
    if (engine === 'postgres') {
      await happen();
      for (let renewed = 0; renewed < 5; renewed += 1) {
        await lease(now + HOUR + LEASE);
        expect(await passed(LEASE / 2)).toBe(0);
      }
      expect(await passed(LEASE)).toBe(1);
    }
    await lease(now + HOUR + LEASE);
    const successor = startSender(createService(app.service));
    await happen();
    await passed(500, successor);
    await passed(LEASE, successor);
    expect(await passed(LEASE, successor)).toBe(0);
    expect(receiver.ids().length).toBe(engine === 'postgres' ? 2 : 1);
    await successor.stop();
  });

  it('are all sent again when a period without an end is resent', async () => {
    const { accountId, apiKey: key } = await app.addAccount('Resending Ltd');
    const endpoint = { url: receiver.url, types: ['sale.created'] };
    const { id } = (await app.call('POST', '/api/event-endpoints', { key, body: endpoint })).body;
    const body = { since: new Date(now).toISOString() };
    await happen(accountId);
    vi.useFakeTimers({ now: Date.now() + HOUR, toFake: ['Date'] });
    await happen(accountId);
    vi.useRealTimers();
    // their ids continue an hour ahead
    await happen(accountId);
    await happen(accountId);
    expect((await app.call('POST', `/api/event-endpoints/${id}/resend`, { key, body })).body).toEqual({ count: 4 });
  });
});
