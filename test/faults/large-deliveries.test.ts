import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { residentMebibytes } from '../helpers/resident-memory.ts';
import { type ServingProcess, startServing } from '../helpers/serving-process.ts';
import { createEndpoint, type EndpointUnderTest } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';

const COUNT = 20;
const DESCRIPTION_LENGTH = 2_000_000;
/** With room for all of them at once, and memory that is left to be collected, they take 160 to 200. */
const GROWTH_MEBIBYTES_MAX = 130;

let app: TestApp;
let stripe: EndpointUnderTest;
let server: ServingProcess;
beforeAll(async () => {
  app = await createTestApp('sqlite');
  stripe = await createEndpoint(app, 'stripe');
  server = await startServing(app.databaseUrl);
});
afterAll(async () => {
  await server.kill();
  await app.close();
});

it('twenty of the largest deliveries at once take a few times the memory of one, and are all stored', async () => {
  const pid = server.child.process.pid ?? 0;
  const before = residentMebibytes(pid);
  let most = before;
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await sleep(10)) most = Math.max(most, residentMebibytes(pid));
  })();
  const statuses = await Promise.all(Array.from({ length: COUNT }, () => deliver()));
  isOver = true;
  await watching;
  expect(statuses).toEqual(Array(COUNT).fill(200));
  expect(most - before).toBeLessThan(GROWTH_MEBIBYTES_MAX);
  const { body } = await app.call('GET', `/api/deliveries?limit=${COUNT + 1}`);
  expect(body.data).toHaveLength(COUNT);
  const stored = await app.call('GET', `/api/deliveries/${body.data[0].id}`);
  expect(JSON.parse(stored.body.body).data.object.description).toHaveLength(DESCRIPTION_LENGTH);
});

async function deliver(): Promise<number> {
  const event = invoicePaid({ externalId: 'payer' });
  Object.assign(event.data.object, { description: 'x'.repeat(DESCRIPTION_LENGTH) });
  const { status } = await stripe.deliver(event, undefined, server.url);
  return status;
}
