import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientOptions, QueuedCall } from '../../src/client/index.ts';
import { leadOf, memoryStore, queued, queueingClient, SALE } from './queue-fixtures.ts';
import { createServiceStub, DUPLICATE, OK, type ServiceStub, SILENCE, UNAVAILABLE } from './service-stub.ts';

let service: ServiceStub;
beforeEach(async () => {
  // the queue sends on its own only when a test advances the time
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  service = await createServiceStub();
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const clientWith = (options: Partial<ClientOptions> = {}) => queueingClient(service, options);

const customersSent = () => service.calls.map(({ body }) => body.customerExternalId);

describe('a call that could not be sent', () => {
  it('is sent in the background when the service is back', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith();
    expect((await client.trackLead(leadOf('user-1'))).status).toBe('queued');
    service.reply(OK);
    const before = service.calls.length;
    await vi.advanceTimersByTimeAsync(1_000);
    await expect.poll(() => service.calls.length).toBe(before + 1);
    expect(await client.flush()).toBe(0);
  });

  it('in the short time that its caller waits has longer in the background', async () => {
    const { body } = OK;
    service.reply({
      with: (response) => void sleep(300).then(() => response.writeHead(200).end(JSON.stringify(body))),
    });
    const client = clientWith({ timeoutMs: 50, fetch });
    expect((await client.trackLead(leadOf('user-1'))).status).toBe('queued');
    expect(await client.flush()).toBe(0);
  });

  it('is sent in order of arrival, exactly once', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith();
    for (const user of ['user-1', 'user-2', 'user-3']) await client.trackLead(leadOf(user));
    service.reply(OK);
    service.calls.length = 0;
    expect(await Promise.all([client.flush(), client.flush()])).toEqual([0, 0]);
    expect(customersSent()).toEqual(['user-1', 'user-2', 'user-3']);
  });

  it('is part of a flush that begins before its caller has the result', async () => {
    service.reply(UNAVAILABLE, OK);
    const client = clientWith();
    void client.trackLead(leadOf('user-1'));
    expect(await client.flush()).toBe(0);
    expect(customersSent()).toEqual(['user-1', 'user-1']);
  });

  it('does not block the calls behind it', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith();
    for (const user of ['user-1', 'user-2']) await client.trackLead(leadOf(user));
    service.calls.length = 0;
    service.reply(UNAVAILABLE, OK);
    expect(await client.flush()).toBe(2);
    expect(await client.flush()).toBe(0);
    expect(customersSent()).toEqual(['user-1', 'user-2', 'user-1']);
  });

  it('and was counted although its answer was lost is settled by the 409 of the next attempt', async () => {
    const problems: unknown[] = [];
    service.reply(SILENCE);
    const client = clientWith({ timeoutMs: 2_000, fetch, onProblem: (error) => problems.push(error) });
    const { status, invoiceId } = await client.trackSale(SALE);
    expect(status).toBe('queued');
    service.reply(DUPLICATE);
    expect(await client.flush()).toBe(0);
    expect(service.calls.map(({ body }) => body.invoiceId)).toEqual([invoiceId, invoiceId]);
    expect(problems).toEqual([]);
  });

  it('and is finally refused is reported to the hook, with the call', async () => {
    const problems: unknown[] = [];
    service.reply(UNAVAILABLE);
    const client = clientWith({ onProblem: (error, call) => problems.push([error.code, call?.path]) });
    await client.trackLead(leadOf('user-1'));
    service.reply({ status: 400, body: { error: { code: 'INVALID_CLICK_ID', message: 'No such click' } } });
    expect(await client.flush()).toBe(0);
    expect(problems).toEqual([['INVALID_CLICK_ID', '/api/track/lead']]);
  });

  it('and lies in a store beyond the limit is dropped and reported', async () => {
    const problems: unknown[] = [];
    const store = memoryStore(['user-1', 'user-2', 'user-3'].map((user) => queued(user)));
    const client = clientWith({
      queueLimit: 2,
      queueStore: store,
      onProblem: (error, call) => problems.push([error.code, call?.body]),
    });
    expect(await client.flush()).toBe(0);
    expect(customersSent()).toEqual(['user-1', 'user-2']);
    expect(problems).toEqual([['QUEUE_FULL', JSON.stringify(leadOf('user-3'))]]);
  });

  it('and lies in a store is sent, although the limit is no number', async () => {
    const client = clientWith({ queueLimit: Number.NaN, queueStore: memoryStore([queued('user-1')]) });
    expect(await client.flush()).toBe(0);
    expect(customersSent()).toEqual(['user-1']);
  });

  it('for three days is dropped and reported', async () => {
    const problems: unknown[] = [];
    const threeDaysAgo = Date.now() - 3 * 24 * 3_600_000 - 1_000;
    const store = memoryStore([queued('user-1', { queuedAt: threeDaysAgo }), queued('user-2')]);
    service.reply(UNAVAILABLE);
    const client = clientWith({
      queueStore: store,
      onProblem: (error, call) => problems.push([error.code, call?.body]),
    });
    expect(await client.flush()).toBe(1);
    expect(problems).toEqual([['UNAVAILABLE', JSON.stringify(leadOf('user-1'))]]);
  });
});

describe('the queue', () => {
  it('is bounded: a full queue refuses new calls and keeps the old ones', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith({ queueLimit: 2 });
    const statuses = [];
    for (const user of ['user-1', 'user-2', 'user-3']) statuses.push((await client.trackLead(leadOf(user))).status);
    expect(statuses).toEqual(['queued', 'queued', 'refused']);
    service.reply(OK);
    service.calls.length = 0;
    expect(await client.flush()).toBe(0);
    expect(customersSent()).toEqual(['user-1', 'user-2']);
  });

  it('never contains embed tokens, because nobody would be waiting for them', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith();
    expect((await client.createEmbedToken({ tenantId: 'tenant-1' })).ok).toBe(false);
    expect(await client.flush()).toBe(0);
  });
});

describe('a store', () => {
  it('receives the whole queue after each change, and never the key', async () => {
    const store = memoryStore();
    service.reply(UNAVAILABLE);
    const client = clientWith({ queueStore: store });
    await client.trackLead(leadOf('user-1'));
    await client.trackLead(leadOf('user-2'));
    service.reply(OK);
    expect(await client.flush()).toBe(0);
    const customers = store.saved.map((calls) => calls.map(({ body }) => JSON.parse(body).customerExternalId));
    expect(customers[0]).toEqual(['user-1']);
    expect(customers).toContainEqual(['user-1', 'user-2']);
    expect(customers.at(-1)).toEqual([]);
    expect(JSON.stringify(store.saved)).not.toContain('rb_live_');
  });

  it('restores what an earlier process could not send, ahead of new calls', async () => {
    const store = memoryStore([queued('user-1'), queued('user-2')]);
    service.reply(UNAVAILABLE);
    const client = clientWith({ queueStore: store });
    await client.trackLead(leadOf('user-3'));
    service.reply(OK);
    service.calls.length = 0;
    expect(await client.flush()).toBe(0);
    expect(customersSent()).toEqual(['user-1', 'user-2', 'user-3']);
    expect(store.saved.at(-1)).toEqual([]);
  });

  it('that loads slowly is not overwritten before it was read', async () => {
    const store = memoryStore();
    let answer: (calls: QueuedCall[]) => void = () => undefined;
    const loading = new Promise<QueuedCall[]>((resolve) => {
      answer = resolve;
    });
    service.reply(UNAVAILABLE);
    const client = clientWith({ queueStore: { ...store, load: () => loading } });
    const tracked = client.trackLead(leadOf('user-2'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await tracked).status).toBe('queued');
    expect(service.calls).toEqual([]);
    expect(store.saved).toEqual([]);
    answer([queued('user-1')]);
    await expect.poll(() => store.saved.length).toBe(1);
    expect(store.saved[0]?.map(({ body }) => JSON.parse(body).customerExternalId)).toEqual(['user-1', 'user-2']);
  });

  it('is never written concurrently, even when it is slow', async () => {
    let writing = 0;
    let most = 0;
    const save = async () => {
      most = Math.max(most, ++writing);
      await sleep(20);
      writing -= 1;
    };
    const stored = Array.from({ length: 10 }, (_, index) => queued(`user-${index}`));
    const client = clientWith({ queueStore: { load: () => stored, save } });
    expect(await client.flush()).toBe(0);
    expect([most, writing]).toEqual([1, 0]);
  });

  it('that fails, or contains foreign data, does no harm and is reported', async () => {
    const problems: string[] = [];
    const fail = () => {
      throw new Error('disk full');
    };
    service.reply(UNAVAILABLE);
    const failing = clientWith({
      queueStore: { load: () => [], save: fail },
      onProblem: (error) => problems.push(error.message),
    });
    expect((await failing.trackLead(leadOf('user-1'))).status).toBe('queued');
    service.reply(OK);
    expect(await failing.flush()).toBe(0);
    expect(new Set(problems)).toEqual(new Set(['The queue could not be saved: disk full']));

    service.calls.length = 0;
    const strange = [null, 7, { path: '/api/api-keys', body: '{}', attempts: 0, queuedAt: 0 }, queued('user-2')];
    const client = clientWith({ queueStore: memoryStore(strange as QueuedCall[]) });
    expect(await client.flush()).toBe(0);
    expect(service.calls.map(({ path }) => path)).toEqual(['/api/track/lead']);
  });
});
