import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { leadOf } from './queue-fixtures.ts';
import { createServiceStub, OK, type ServiceStub, UNAVAILABLE } from './service-stub.ts';

const DAY_MS = 24 * 3_600_000;
let service: ServiceStub;
let realNow: number;
beforeEach(async () => {
  service = await createServiceStub();
  realNow = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: realNow + DAY_MS });
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});
const clientWith = (timeoutMs: number) => createClient({ baseUrl: service.url, apiKey: 'rb_live_example', timeoutMs });

it('a pause that began while the clock was ahead ends when the service asked for', async () => {
  const client = clientWith(500);
  service.reply({ status: 429, headers: { 'retry-after': '1' }, body: { error: { code: 'X', message: 'X' } } });
  expect((await client.trackLead(leadOf('user-1'))).status).toBe('queued');
  vi.setSystemTime(realNow);
  service.reply(OK);
  await sleep(1_100);
  expect(await client.flush()).toBe(0);
});

it('a call takes no longer when the clock is set back meanwhile', async () => {
  service.reply({
    with(response) {
      vi.setSystemTime(realNow);
      service.reply(UNAVAILABLE);
      response.destroy();
    },
  });
  const ownMs = await startOwnTime();
  expect((await clientWith(500).trackLead(leadOf('user-1'))).status).toBe('queued');
  expect(ownMs()).toBeLessThan(5_000);
});

it('a flush waits for a call without a time limit', async () => {
  const answer = () => sleep(50).then(() => JSON.stringify(OK.body));
  service.reply({ with: (response) => void answer().then((body) => response.end(body)) });
  const client = clientWith(Number.POSITIVE_INFINITY);
  const lead = client.trackLead(leadOf('user-1'));
  expect(await client.flush()).toBe(0);
  expect(await Promise.race([lead, 'pending'])).toMatchObject({ status: 'recorded' });
});
