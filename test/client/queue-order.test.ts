import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { createServiceStub, fetchWithoutTimeout, OK, type ServiceStub, UNAVAILABLE } from './service-stub.ts';

const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
const SALE = { clickId: CLICK, customerExternalId: 'user-1', amount: 1999, currency: 'eur' };
const leadOf = (customerExternalId: string) => ({ clickId: CLICK, eventName: 'Sign up', customerExternalId });

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

const clientWith = () =>
  createClient({ baseUrl: service.url, apiKey: 'rb_live_example', timeoutMs: 1, fetch: fetchWithoutTimeout });

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
});
