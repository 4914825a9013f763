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

it.each(engines)('however many receivers hang, the others are served, on %s', async (engine) => {
  const receiver = await createEventReceiver();
  const app = await createTestApp(engine);
  const addEndpoint = async (name: string) => {
    const body = { url: `${receiver.url}?${name}`, types: ['sale.created'] };
    return (await app.call('POST', '/api/event-endpoints', { body })).body.id as string;
  };
  let isServed = false;
  receiver.answer = ({ url }) => {
    isServed ||= url?.endsWith('served') === true;
  };
  const hanging = await addEndpoint('hanging');
  const served = await addEndpoint('served');
  const now = Date.now();
  await app.service.database.write(async (tx) => {
    const event = { accountId: app.accountId, type: 'sale.created' as const, occurredAt: now, data: () => ({}) };
    await recordEvent(tx, event);
    await tx.run('UPDATE event_endpoints SET failures = 5 WHERE id = @hanging', { hanging });
    for (let number = 0; number < 55; number += 1) {
      const id = `evp_${number}`;
      await tx.run(
        `INSERT INTO event_endpoints (id, account_id, kind, url, types, sealed_secrets, status, created_at, failures)
         SELECT @id, account_id, kind, url, types, sealed_secrets, status, created_at, failures FROM event_endpoints
         WHERE id = @hanging`,
        { id, hanging },
      );
      await tx.run(
        `INSERT INTO event_deliveries (endpoint_id, event_id, account_id, status, attempts, tries, next_attempt_at, occurred_at)
         SELECT @id, event_id, account_id, status, attempts, tries, next_attempt_at, occurred_at FROM event_deliveries
         WHERE endpoint_id = @hanging`,
        { id, hanging },
      );
    }
    // it was served a moment ago, and so is last in line
    await tx.run('UPDATE event_endpoints SET leased_until = @now WHERE id = @served', { served, now });
  });
  const sender = startEventSender(app.service, { pollMs: 20, stopMs: 0 });
  await receiver.arrived(11);
  expect(isServed).toBe(true);

  await sender.stop();
  await app.close();
  await receiver.close();
});
