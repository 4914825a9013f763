import { expect, it } from 'vitest';
import { recordEvent } from '../../src/events/record.ts';
import { startEventSender } from '../../src/events/sender.ts';
import { createTestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { answerWith, createEventReceiver } from '../helpers/event-receiver.ts';

it.each(engines)('a slow receiver gives way to other endpoints after 10 s, on %s', async (engine) => {
  const receiver = await createEventReceiver();
  const app = await createTestApp(engine);
  let elapsed = 0;
  const sender = startEventSender(app.service, { pollMs: 1e9, stopwatch: () => elapsed });
  receiver.answer = (request, response) => {
    elapsed += 4_000;
    answerWith(204)(request, response);
  };
  await app.call('POST', '/api/event-endpoints', { body: { url: receiver.url, types: ['sale.created'] } });
  const event = { accountId: app.accountId, type: 'sale.created' as const, occurredAt: Date.now() };
  await app.service.database.write(async (tx) => {
    for (let number = 0; number < 5; number += 1) await recordEvent(tx, { ...event, data: () => ({ number }) });
  });

  const received: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await sender.sendDue();
    received.push(receiver.received.length);
  }
  expect(received).toEqual([3, 5, 5]);
  expect(receiver.received.map(({ event: { data } }) => data.number)).toEqual([0, 1, 2, 3, 4]);

  await sender.stop();
  await app.close();
  await receiver.close();
});
