import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { recordEvent } from '../../src/events/record.ts';
import { startEventSender } from '../../src/events/sender.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { answerWith, createEventReceiver, type EventReceiver } from '../helpers/event-receiver.ts';

describe.each(engines)('a sender that is stopped, on %s', (engine) => {
  let app: TestApp;
  let receiver: EventReceiver;
  beforeEach(async () => {
    receiver = await createEventReceiver();
    app = await createTestApp(engine);
    const body = { url: receiver.url, types: ['sale.created'] };
    expect((await app.call('POST', '/api/event-endpoints', { body })).status).toBe(201);
    const event = { accountId: app.accountId, type: 'sale.created', occurredAt: Date.now(), data: () => ({}) } as const;
    await app.service.database.write((tx) => recordEvent(tx, event));
  });
  afterEach(async () => {
    await app.close();
    await receiver.close();
  });
  const delivery = async () => (await app.call('GET', '/api/events')).body.data[0].deliveries[0];

  it('gives up an attempt that takes too long, without counting it, and leaves it to the next sender', async () => {
    receiver.answer = () => {};
    const sender = startEventSender(app.service, { pollMs: 1e9, stopMs: 100 });
    const sending = sender.sendDue();
    await receiver.arrived(1);
    const startedAt = performance.now();
    await sender.stop();
    await sending;
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await delivery()).toMatchObject({ status: 'waiting', attempts: 0 });

    receiver.answer = answerWith(204);
    const next = startEventSender(createService(app.service), { pollMs: 1e9 });
    await next.sendDue();
    expect(receiver.ids().length).toBe(1);
    expect(await delivery()).toMatchObject({ status: 'delivered', attempts: 1 });
    await next.stop();
  });

  it('waits for an attempt that ends in time', async () => {
    receiver.answer = (request, response) => void setTimeout(() => answerWith(204)(request, response), 100);
    const sender = startEventSender(app.service, { pollMs: 1e9 });
    const sending = sender.sendDue();
    await receiver.arrived(1);
    await sender.stop();
    await sending;
    expect(await delivery()).toMatchObject({ status: 'delivered', attempts: 1 });
  });
});
