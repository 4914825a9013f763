import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { recordEvent } from '../../src/events/record.ts';
import { type EventSender, startEventSender } from '../../src/events/sender.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { answerWith, createEventReceiver, type EventReceiver } from '../helpers/event-receiver.ts';

const MINUTE = 60_000;

// A process was suspended during an attempt for longer than its lease, and another one has sent the event meanwhile. On
// SQLite, that is its successor.
describe.each(engines)('the result of an attempt whose process has lost the lease, on %s', (engine) => {
  let app: TestApp;
  let receiver: EventReceiver;
  let endpointId: string;
  let suspended: EventSender;
  let successor: EventSender;
  let answerLate: (status: number) => void;
  beforeAll(async () => {
    app = await createTestApp(engine);
    receiver = await createEventReceiver();
    const body = { url: receiver.url, types: ['sale.created'] };
    endpointId = (await app.call('POST', '/api/event-endpoints', { body })).body.id;
  });
  afterEach(async () => {
    await Promise.all([suspended.stop(), successor.stop()]);
    await app.service.database.write((tx) => tx.run('UPDATE event_endpoints SET failures = 0, paused_until = NULL'));
    receiver.clear();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  /** An event whose first attempt waits for its answer while the second is answered at once. */
  async function sendTwice({ tries = 0, secondStatus = 204 } = {}) {
    const { accountId, service } = app;
    const event = { accountId, type: 'sale.created', occurredAt: Date.now(), data: () => ({}) } as const;
    await service.database.write((tx) => recordEvent(tx, event));
    await service.database.write((tx) =>
      tx.run("UPDATE event_deliveries SET tries = @tries, attempts = @tries WHERE status = 'waiting'", { tries }),
    );
    receiver.answer = (_, response) => {
      if (receiver.received.length > 1) response.writeHead(secondStatus).end();
      else answerLate = (status) => void response.writeHead(status).end();
    };
    suspended = startEventSender(service, { pollMs: 1e9 });
    const first = suspended.sendDue();
    await receiver.arrived(1);
    const later = createService({ ...service, clock: () => Date.now() + MINUTE });
    successor = startEventSender(later, { pollMs: 1e9 });
    await successor.sendDue();
    expect(receiver.received.length).toBe(2);
    return { first, id: receiver.received[0]?.id };
  }
  async function findDelivery(id: string | undefined) {
    const { body } = await app.call('GET', `/api/events/${id}`);
    expect(body.attempts.map((attempt: { responseStatus: number }) => attempt.responseStatus).length).toBe(2);
    return body.deliveries.find((delivery: { endpointId: string }) => delivery.endpointId === endpointId);
  }

  it.each([
    ['first', 0],
    ['ninth', 8],
    ['last', 9],
  ])('leaves an event delivered when it is a failure of the %s try', async (_, tries) => {
    const { first, id } = await sendTwice({ tries });
    answerLate(500);
    await first;
    const delivered = {
      status: 'delivered',
      attempts: tries + 2,
      responseStatus: 204,
      error: null,
      nextAttemptAt: null,
    };
    expect(await findDelivery(id)).toMatchObject(delivered);
    await successor.sendDue();
    expect(receiver.received.length).toBe(2);
  });

  it('does not use up a try of an event that failed meanwhile', async () => {
    const { first, id } = await sendTwice({ tries: 8, secondStatus: 503 });
    answerLate(500);
    await first;
    expect(await findDelivery(id)).toMatchObject({ status: 'waiting', attempts: 10, responseStatus: 503 });
    await app.service.database.write((tx) => tx.run("DELETE FROM event_deliveries WHERE status = 'waiting'"));
  });

  it('is a delivery when the endpoint has confirmed the event', async () => {
    const { first, id } = await sendTwice({ tries: 8, secondStatus: 503 });
    answerLate(204);
    await first;
    const delivered = { status: 'delivered', attempts: 10, responseStatus: 204, nextAttemptAt: null };
    expect(await findDelivery(id)).toMatchObject(delivered);
  });

  it.each([
    [204, [0, 1]],
    [500, [0, 0, 1]],
  ])('is followed at once by what waits, when it was %d before the endpoint was changed', async (status, sent) => {
    const { accountId, service } = app;
    await service.database.write(async (tx) => {
      const event = { accountId, type: 'sale.created', occurredAt: Date.now() } as const;
      for (const number of [0, 1]) await recordEvent(tx, { ...event, data: () => ({ number }) });
      await tx.run("UPDATE event_deliveries SET tries = 8, attempts = 8 WHERE status = 'waiting'");
    });
    receiver.answer = async (request, response) => {
      receiver.answer = answerWith(204);
      await app.call('PATCH', `/api/event-endpoints/${endpointId}`, { body: { url: `${receiver.url}?corrected` } });
      await app.call('POST', `/api/event-endpoints/${endpointId}/rotate`);
      answerWith(status)(request, response);
    };
    suspended = startEventSender(service, { pollMs: 1e9 });
    successor = suspended;
    await suspended.sendDue();
    expect(receiver.received.length).toBe(1);
    await suspended.sendDue();
    expect(receiver.received.map(({ event }) => event.data.number)).toEqual(sent);
    expect(receiver.received.at(-1)?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+/);
  });

  it('counts as ever when only the description was changed', async () => {
    const { accountId, service } = app;
    const event = { accountId, type: 'sale.created', occurredAt: Date.now(), data: () => ({}) } as const;
    await service.database.write((tx) => recordEvent(tx, event));
    receiver.answer = async (request, response) => {
      await app.call('PATCH', `/api/event-endpoints/${endpointId}`, { body: { description: 'to the books' } });
      answerWith(500)(request, response);
    };
    suspended = startEventSender(service, { pollMs: 1e9 });
    successor = suspended;
    for (let round = 0; round < 2; round += 1) await suspended.sendDue();
    expect(receiver.received.length).toBe(1);
  });
});
