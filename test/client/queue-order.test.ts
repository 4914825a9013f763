import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientOptions, QueuedCall } from '../../src/client/index.ts';
import { leadOf, queued, queueingClient, SALE } from './queue-fixtures.ts';
import { createServiceStub, OK, type ServiceStub, UNAVAILABLE } from './service-stub.ts';

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

describe('a queued call', () => {
  it('moves with the calls that must follow it, and lets the others pass', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith();
    await client.trackLead(leadOf('user-1'));
    await client.trackSale({ ...SALE, customerExternalId: 'user-1', invoiceId: 'in-1' });
    await client.trackLead(leadOf('user-2'));
    await client.refundSale({ invoiceId: 'in-1', refundId: 're-1', amount: 500 });
    service.calls.length = 0;
    service.reply(UNAVAILABLE, OK);
    expect(await client.flush()).toBe(4);
    expect(await client.flush()).toBe(0);
    const sent = service.calls.map(({ path, body }) => `${path} ${body.customerExternalId ?? body.invoiceId}`);
    expect(sent).toEqual([
      '/api/track/lead user-1',
      '/api/track/lead user-2',
      '/api/track/lead user-1',
      '/api/track/sale user-1',
      '/api/refunds in-1',
    ]);
  });

  it('makes the refund of its invoice wait, which nothing else does', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith();
    await client.trackSale({ ...SALE, invoiceId: 'in-1' });
    service.reply(OK);
    service.calls.length = 0;
    const refund = await client.refundSale({ invoiceId: 'in-1', refundId: 're-1', amount: 500 });
    expect([refund.ok, refund.status]).toEqual([false, 'queued']);
    expect((await client.refundSale({ invoiceId: 'in-2', refundId: 're-2', amount: 500 })).status).toBe('recorded');
    expect(await client.flush()).toBe(0);
    expect(service.calls.map(({ path, body }) => `${path} ${body.invoiceId}`)).toEqual([
      '/api/refunds in-2',
      '/api/track/sale in-1',
      '/api/refunds in-1',
    ]);
  });

  it('makes later leads and sales of its customer wait, but no sale without a click, which is parked', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith();
    await client.trackLead(leadOf('user-1'));
    service.reply(OK);
    service.calls.length = 0;
    const other = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3E';
    const results = [
      await client.trackSale({ ...SALE, clickId: other, invoiceId: 'in-1' }),
      await client.trackLead({ ...leadOf('user-1'), clickId: other, eventName: 'Trial' }),
      await client.trackSale({ ...SALE, clickId: null, invoiceId: 'in-2' }),
      await client.trackLead(leadOf('user-2')),
    ];
    expect(results.map(({ status }) => status)).toEqual(['queued', 'queued', 'recorded', 'recorded']);
    expect(results[0]).toMatchObject({ error: { code: 'NOT_SENT' } });
    expect(await client.flush()).toBe(0);
    expect(service.calls.map(({ path, body }) => `${path} ${body.eventName ?? body.invoiceId}`)).toEqual([
      '/api/sales in-2',
      '/api/track/lead Sign up',
      '/api/track/lead Sign up',
      '/api/track/sale in-1',
      '/api/track/lead Trial',
    ]);
  });
});

describe('a call while the stored calls are being loaded', () => {
  const stored = queued('user-1', { path: '/api/track/sale', body: JSON.stringify({ ...SALE, invoiceId: 'in-1' }) });
  const refund = (number: number) => ({ invoiceId: `in-${number}`, refundId: `re-${number}`, amount: 500 });

  it('waits for them: what belongs behind them is sent behind them', async () => {
    const loading = Promise.withResolvers<QueuedCall[]>();
    const client = clientWith({ timeoutMs: 2_000, queueStore: { load: () => loading.promise, save: () => undefined } });
    const results = [client.refundSale(refund(1)), client.trackLead(leadOf('user-2'))];
    loading.resolve([stored]);
    expect((await Promise.all(results)).map(({ status }) => status)).toEqual(['queued', 'recorded']);
    expect(await client.flush()).toBe(0);
    expect(service.calls.map(({ path }) => path)).toEqual(['/api/track/lead', '/api/track/sale', '/api/refunds']);
  });

  it('is queued when they take longer than its time limit; then only refunds wait, whose sale may be among them', async () => {
    const loading = Promise.withResolvers<QueuedCall[]>();
    const client = clientWith({ timeoutMs: 2_000, queueStore: { load: () => loading.promise, save: () => undefined } });
    const late = client.trackLead(leadOf('user-1'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await late).status).toBe('queued');
    expect((await client.trackLead(leadOf('user-2'))).status).toBe('recorded');
    expect((await client.refundSale(refund(1))).status).toBe('queued');
    loading.resolve([stored]);
    expect(await client.flush()).toBe(0);
    expect(service.calls.map(({ path }) => path)).toEqual([
      '/api/track/lead',
      '/api/track/sale',
      '/api/track/lead',
      '/api/refunds',
    ]);
  });
});

describe('while the stored calls cannot be read, a refund', () => {
  it('is sent, and sent again behind its sale when the service does not know that', async () => {
    const stored = queued('user-1', { path: '/api/track/sale', body: JSON.stringify({ ...SALE, invoiceId: 'in-1' }) });
    const problems: string[] = [];
    let isReadable = false;
    const load = () => {
      if (!isReadable) throw new Error('connection refused');
      return [stored];
    };
    const client = clientWith({
      queueStore: { load, save: () => undefined },
      onProblem: ({ code }) => problems.push(code),
    });
    service.reply({ status: 404, body: { error: { code: 'NOT_FOUND', message: 'No such sale' } } }, OK);
    expect((await client.refundSale({ invoiceId: 'in-1', refundId: 're-1', amount: 500 })).status).toBe('queued');
    expect(await client.flush()).toBe(1);
    isReadable = true;
    expect(await client.flush()).toBe(0);
    expect(service.calls.map(({ path }) => path)).toEqual(['/api/refunds', '/api/track/sale', '/api/refunds']);
    expect(new Set(problems)).toEqual(new Set(['STORE_FAILED']));
  });
});
