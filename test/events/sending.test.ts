import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { recordEvent } from '../../src/events/record.ts';
import { type EventSender, startEventSender } from '../../src/events/sender.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { answerWith, createEventReceiver, type EventReceiver, verifyEvent } from '../helpers/event-receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The waits between the ten attempts. */
const WAITS = [5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

describe.each(engines)('events are sent on %s', (engine) => {
  let app: TestApp;
  let receiver: EventReceiver;
  let sender: EventSender;
  let now = 0;
  const logged: Record<string, unknown>[] = [];
  beforeAll(async () => {
    receiver = await createEventReceiver();
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
    app = await createTestApp(engine, { service: { clock: () => now }, metrics: { kind: 'public' }, log });
    // no jitter: the middle of the range; no turn is over because the machine is busy
    sender = startEventSender(app.service, { pollMs: 1e9, random: () => 0.5, stopwatch: () => 0 });
  });
  beforeEach(() => {
    now = Date.now();
  });
  afterEach(async () => {
    const { body } = await app.call('GET', '/api/event-endpoints?limit=100');
    for (const { id } of body.data) await app.call('DELETE', `/api/event-endpoints/${id}`);
    receiver.clear();
    receiver.answer = answerWith(204);
    logged.length = 0;
  });
  afterAll(async () => {
    await sender.stop();
    await app.close();
    await receiver.close();
  });

  async function createEndpoint(fields: Record<string, unknown> = {}): Promise<{ id: string; secret: string }> {
    const body = { url: receiver.url, types: ['sale.created'], ...fields };
    const answer = await app.call('POST', '/api/event-endpoints', { body });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }
  async function happen(count = 1): Promise<void> {
    const event = { accountId: app.accountId, type: 'sale.created' as const, occurredAt: now };
    await app.service.database.write(async (tx) => {
      for (let number = 0; number < count; number += 1) await recordEvent(tx, { ...event, data: () => ({ number }) });
    });
  }
  const endpoint = async (id: string) => (await app.call('GET', `/api/event-endpoints/${id}`)).body;
  const eventsOf = async (id: string) => (await app.call('GET', `/api/events?endpointId=${id}`)).body.data;
  const numbers = () => receiver.received.map(({ event }) => event.data.number);
  /** Lets this time pass, then sends what is due. */
  async function passed(ms: number): Promise<number> {
    now += ms;
    const before = receiver.received.length;
    await sender.sendDue();
    return receiver.received.length - before;
  }

  it('in the order of occurrence, also when the receiver is away for a moment', async () => {
    const { id } = await createEndpoint();
    await happen(15);
    expect(await passed(0)).toBe(15);
    receiver.answer = answerWith(502);
    await happen(3);
    expect(await passed(0)).toBe(1);
    await happen(2);
    receiver.answer = answerWith(200);
    // no event overtakes the failed one
    expect(await passed(4_000)).toBe(0);
    expect(await passed(1_000)).toBe(5);
    expect(numbers().slice(16)).toEqual([0, 1, 2, 0, 1]);
    expect(receiver.ids().length).toBe(20);
    const [last] = await eventsOf(id);
    expect(last.deliveries).toMatchObject([{ endpointId: id, status: 'delivered', attempts: 1, responseStatus: 200 }]);
  });

  it('200 in a turn, so that other endpoints get theirs, and the rest in the next turns', async () => {
    await createEndpoint();
    await happen(405);
    const turns = [await passed(0), await passed(0), await passed(0), await passed(0)];
    expect(turns).toEqual([200, 200, 5, 0]);
    expect(numbers()).toEqual(Array.from({ length: 405 }, (_, number) => number));
  });

  it('again at the scheduled times, signed anew, until ten attempts have failed', async () => {
    const { id, secret } = await createEndpoint();
    receiver.answer = answerWith(500, {}, 'broken');
    await happen();
    expect(await passed(0)).toBe(1);
    verifyEvent(secret, receiver.received[0] as never);
    for (const wait of WAITS) {
      expect(await passed(wait - 1)).toBe(0);
      expect(await passed(1)).toBe(1);
    }
    expect(await passed(30 * DAY)).toBe(0);
    expect(receiver.ids().length).toBe(1);
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(new Set(times).size).toBe(10);
    const [event] = await eventsOf(id);
    expect(event.deliveries).toMatchObject([{ status: 'failed', attempts: 10, nextAttemptAt: null }]);
    const { attempts } = (await app.call('GET', `/api/events/${event.id}`)).body;
    expect(attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(attempts[0]).toMatchObject({ responseStatus: 500, error: 'answered 500', response: 'broken' });
    // resent by hand, under the same id
    receiver.answer = answerWith(204);
    expect((await app.call('POST', `/api/events/${event.id}/resend`)).status).toBe(202);
    expect(await passed(0)).toBe(1);
    expect(receiver.ids().length).toBe(1);
    expect((await eventsOf(id))[0].deliveries).toMatchObject([{ status: 'delivered', attempts: 11 }]);
  });

  it('later when the receiver answers with Retry-After, in seconds or as a date', async () => {
    await createEndpoint();
    receiver.answer = answerWith(429, { 'retry-after': '120' });
    await happen();
    expect(await passed(0)).toBe(1);
    expect(await passed(119_000)).toBe(0);
    const date = new Date(now + 1_000 + HOUR).toUTCString();
    receiver.answer = answerWith(503, { 'retry-after': date });
    expect(await passed(1_000)).toBe(1);
    receiver.answer = answerWith(204);
    expect(await passed(HOUR - 2_000)).toBe(0);
    expect(await passed(2_000)).toBe(1);
  });

  it('no more after an answer 410, which the log, the metrics and the endpoint report', async () => {
    const { id } = await createEndpoint();
    receiver.answer = answerWith(410);
    await happen(2);
    expect(await passed(0)).toBe(1);
    expect(await endpoint(id)).toMatchObject({ enabled: false, disabledReason: expect.stringContaining('410') });
    expect(logged).toContainEqual(expect.objectContaining({ eventEndpointId: id, level: 50 }));
    expect((await app.call('GET', '/metrics', { key: null })).text).toContain(
      'refbridge_events_endpoints_switched_off_total{reason="gone"} 1',
    );
    // events in the meantime are not kept; those that waited are sent once the endpoint is switched on again
    await sleep(300);
    await happen(4);
    receiver.answer = answerWith(204);
    expect(await passed(DAY)).toBe(0);
    await app.call('PATCH', `/api/event-endpoints/${id}`, { body: { enabled: true } });
    expect(await endpoint(id)).toMatchObject({ enabled: true, disabledReason: null, failingSince: null });
    expect(await passed(0)).toBe(2);
  });

  it('no more after five days of failure', async () => {
    const { id } = await createEndpoint();
    receiver.answer = answerWith(301, { location: receiver.url });
    await happen();
    await passed(0);
    expect(receiver.received.length).toBe(1);
    expect(await endpoint(id)).toMatchObject({ enabled: true, failingSince: new Date(now).toISOString() });
    now += 5 * DAY - 1;
    await happen();
    await passed(0);
    expect((await endpoint(id)).enabled).toBe(true);
    await passed(5_001);
    await passed(MINUTE);
    expect(await endpoint(id)).toMatchObject({ enabled: false, disabledReason: expect.stringContaining('five days') });
  });

  it('at once after an outage, not at the times that the failures had scheduled', async () => {
    await createEndpoint();
    receiver.answer = answerWith(500);
    await happen();
    for (const wait of [0, ...WAITS.slice(0, 4)]) await passed(wait);
    receiver.answer = answerWith(204);
    receiver.clear();
    await happen();
    // the failed one would have been due in five hours
    expect(await passed(MINUTE)).toBe(2);
    expect(receiver.ids().length).toBe(2);
  });

  it('at once to an endpoint that gets another URL, or is enabled again', async () => {
    const { id } = await createEndpoint();
    const change = (body: object) => app.call('PATCH', `/api/event-endpoints/${id}`, { body });
    receiver.answer = answerWith(503, { 'retry-after': '86400' });
    await happen(2);
    expect(await passed(0)).toBe(1);
    receiver.answer = answerWith(204);
    expect((await change({ url: `${receiver.url}?corrected` })).body.failingSince).toBe(null);
    expect(await passed(0)).toBe(2);
    expect(numbers()).toEqual([0, 0, 1]);
    receiver.answer = answerWith(500);
    await happen();
    for (const wait of [0, ...WAITS.slice(0, 4)]) await passed(wait);
    await change({ enabled: false });
    receiver.answer = answerWith(204);
    await change({ enabled: true });
    // the failed one would have been due in five hours
    expect(await passed(0)).toBe(1);
  });

  it('by two processes at once, but never the same event at the same time', async () => {
    await createEndpoint();
    const other = startEventSender(createService(app.service), { pollMs: 1e9 });
    receiver.answer = (_, response) => void setTimeout(() => response.writeHead(204).end(), 5);
    await happen(30);
    await Promise.all([sender.sendDue(), other.sendDue(), sender.sendDue(), other.sendDue()]);
    await other.stop();
    expect(receiver.received.length).toBe(30);
    expect(receiver.ids().length).toBe(30);
    expect(numbers()).toEqual(Array.from({ length: 30 }, (_, number) => number));
  });

  it('with the old secret as well, for a day after a rotation', async () => {
    const { id, secret } = await createEndpoint();
    const rotated = await app.call('POST', `/api/event-endpoints/${id}/rotate`);
    const next = rotated.body.secret;
    expect(next).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(next).not.toBe(secret);
    await happen();
    await passed(0);
    const [first] = receiver.received;
    for (const each of [secret, next]) verifyEvent(each, first as never);
    expect(() => verifyEvent(`whsec_${Buffer.alloc(32).toString('base64')}`, first as never)).toThrow('No matching');
    await happen();
    await passed(DAY + 1_000);
    expect(receiver.received[1]?.headers['webhook-signature']?.split(' ').length).toBe(1);
  });

  it('as a test, and again for a period', async () => {
    const { id } = await createEndpoint();
    const since = new Date(now).toISOString();
    await happen(3);
    expect((await app.call('POST', `/api/event-endpoints/${id}/test`)).status).toBe(202);
    await passed(0);
    expect(receiver.received[3]?.event).toMatchObject({ type: 'event_endpoint.test', data: { id, enabled: true } });
    const ids = receiver.ids().slice(0, 3);
    receiver.clear();
    now += DAY;
    const again = await app.call('POST', `/api/event-endpoints/${id}/resend`, { body: { since } });
    expect(again.body).toEqual({ count: 3 });
    await passed(0);
    expect(receiver.ids()).toEqual(ids);
    const missing = await app.call('POST', '/api/event-endpoints/evp_none/resend', { body: { since } });
    expect(missing.status).toBe(404);
  });
});
