import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientOptions, QueuedCall, QueueStore } from '../../src/client/index.ts';
import { createQueue } from '../../src/client/queue.ts';
import { createQueueKeeper, unreadCallsError } from '../../src/client/queue-store.ts';
import { leadOf, memoryStore, queued, queueingClient, SALE } from './queue-fixtures.ts';
import {
  createServiceStub,
  DUPLICATE,
  fetchWithoutTimeout,
  OK,
  type ServiceStub,
  UNAVAILABLE,
} from './service-stub.ts';

let service: ServiceStub;
beforeEach(async () => {
  // the queue sends on its own only when a test advances the time
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  service = await createServiceStub();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await service.close();
});

const clientWith = (options: Partial<ClientOptions> = {}) => queueingClient(service, options);

const customersSent = () => service.calls.map(({ body }) => body.customerExternalId);

describe('a queued call', () => {
  it.each([
    ['a key that was rotated', { status: 401, body: { error: { code: 'UNAUTHORIZED', message: 'No such key' } } }],
    ['a key with another scope', { status: 403, body: { error: { code: 'FORBIDDEN', message: 'Scope read' } } }],
    ['a redirect', { status: 302, headers: { location: 'https://status.example.com/' }, body: '' }],
  ])(
    'because of %s stays in the queue; the hook is called once, and the next attempt waits longer',
    async (_why, reply) => {
      const problems: unknown[] = [];
      const store = memoryStore();
      service.reply(UNAVAILABLE);
      const client = clientWith({ queueStore: store, onProblem: (error, call) => problems.push([error.status, call]) });
      for (const user of ['user-1', 'user-2']) await client.trackLead(leadOf(user));
      service.reply(reply);
      service.calls.length = 0;
      for (let seconds = 0; seconds < 60; seconds += 1) {
        await vi.advanceTimersByTimeAsync(1_000);
        await sleep(5);
      }
      expect(service.calls.length).toBeGreaterThan(2);
      expect(service.calls.length).toBeLessThan(8);
      expect(problems).toEqual([[reply.status, null]]);
      expect(store.saved.at(-1)).toHaveLength(2);
      service.reply(OK);
      expect(await client.flush()).toBe(0);
      expect(customersSent().slice(-2).toSorted()).toEqual(['user-1', 'user-2']);
      expect(problems).toHaveLength(1);
    },
  );

  it('is not dropped for what a proxy answers while the service restarts', async () => {
    const problems: unknown[] = [];
    service.reply(UNAVAILABLE);
    const client = clientWith({ onProblem: (error) => problems.push(error) });
    await client.trackSale(SALE);
    service.reply({ status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' });
    expect(await client.flush()).toBe(1);
    service.reply({ body: { status: 'maintenance' } });
    expect(await client.flush()).toBe(1);
    service.reply(OK);
    expect(await client.flush()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('is sent again when its send was cut off without an end, as edge runtimes do with what a request has started', async () => {
    const invoice = { ...SALE, invoiceId: 'inv_1' };
    const stored = queued('user-1', { path: '/api/track/sale', body: JSON.stringify(invoice), attempts: 0 });
    const onProblem = vi.fn();
    let cutOff = 0;
    const client = clientWith({
      queueStore: memoryStore([stored]),
      onProblem,
      fetch: (input, init) => {
        cutOff += 1;
        return cutOff === 1 ? new Promise(() => undefined) : fetchWithoutTimeout(input, init);
      },
    });
    client.flush();
    await expect.poll(() => cutOff).toBe(1);
    // it was counted, and only its answer was lost
    service.reply(DUPLICATE);
    const joined = client.flush();
    const later = performance.now() + 10_000;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await joined).toBe(0);
    expect(cutOff).toBe(2);
    expect(onProblem).not.toHaveBeenCalled();
  });
});

it('a flush does not wait for a call that was cut off together with its request', async () => {
  const client = clientWith({ fetch: () => new Promise(() => undefined) });
  void client.trackLead(leadOf('user-1'));
  const flushed = client.flush();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await flushed).toBe(0);
  expect(await client.flush()).toBe(0);
});

describe('a store', () => {
  it.each([
    ['load', 'loaded'],
    ['save', 'saved'],
  ] as const)('whose %s is cut off without an end is called again', async (method, done) => {
    const problems: string[] = [];
    const store = memoryStore([queued('user-1')]);
    const cutOff = new Set<string>([method]);
    const answer = <Result>(name: string, work: () => Result) =>
      cutOff.delete(name) ? new Promise<never>(() => undefined) : work();
    const client = clientWith({
      queueStore: { load: () => answer('load', store.load), save: (calls) => answer('save', () => store.save(calls)) },
      onProblem: (error) => problems.push(error.message),
    });
    const flushed = client.flush();
    await expect.poll(() => cutOff.size).toBe(0);
    const later = performance.now() + 20_000;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await flushed).toBe(0);
    expect(customersSent()).toEqual(['user-1']);
    expect(store.saved).toEqual([[]]);
    expect(problems).toEqual([`The queue could not be ${done}: it took longer than 10 seconds`]);
  });

  it('is read by the first flush when nothing can be read, nor a timer be started, where the client is created', async () => {
    const store = memoryStore([queued('user-1')]);
    const outsideOfRequests = () => {
      throw new Error('not allowed in the global scope');
    };
    let load: QueueStore['load'] = outsideOfRequests;
    vi.stubGlobal('setTimeout', outsideOfRequests);
    const client = clientWith({ queueStore: { ...store, load: () => load() } });
    // until the failure has been handled
    await new Promise(setImmediate);
    vi.unstubAllGlobals();
    load = store.load;
    expect((await client.trackLead(leadOf('user-2'))).status).toBe('recorded');
    expect(await client.flush()).toBe(0);
    expect(customersSent()).toEqual(['user-2', 'user-1']);
  });
});

// what comes in the very instant in which everything before it is done must not take that for still being done
describe.each(Array.from({ length: 20 }, (_, ticks) => ticks))('%i microtasks after the call before it', (ticks) => {
  const ignore = () => undefined;
  const pass = async () => {
    for (let tick = 0; tick < ticks; tick += 1) await null;
  };

  it('a queued call is sent', async () => {
    const send = vi.fn(async () => ({ kind: 'answered', body: {} }) as const);
    const sender = { send, pausedMs: () => 0 };
    const keeper = createQueueKeeper(null, ignore);
    const queue = createQueue({ sender, keeper, timeoutMs: 1, callsMax: 2, onProblem: ignore });
    queue.add(queued('user-1'));
    const flushed = queue.flush();
    await pass();
    queue.add(queued('user-2'));
    await flushed;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('a queued call is stored although a load came first, which the store has asked for', async () => {
    const store = memoryStore();
    const save = vi.fn(async (calls: readonly QueuedCall[]) => store.save(calls));
    save.mockRejectedValueOnce(unreadCallsError('there are others'));
    const keeper = createQueueKeeper({ ...store, save }, ignore);
    await keeper.load(ignore, ignore);
    const calls = [queued('user-1')];
    keeper.save(calls);
    await pass();
    for (let round = 0; round < 2; round += 1) {
      await keeper.load(() => keeper.save(calls), ignore);
      await keeper.settled();
    }
    expect(store.saved).toEqual([calls]);
  });

  it('a queued call is stored', async () => {
    const store = memoryStore();
    const keeper = createQueueKeeper(store, ignore);
    await keeper.load(ignore, ignore);
    keeper.save([]);
    await pass();
    keeper.save([queued('user-1')]);
    await keeper.settled();
    expect(store.saved.at(-1)).toHaveLength(1);
  });
});
