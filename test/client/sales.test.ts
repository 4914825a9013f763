import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { createServiceStub, OK, type ServiceStub, UNAVAILABLE } from './service-stub.ts';

const SALE = { customerExternalId: 'user-1', amount: 1999, currency: 'eur' };

let service: ServiceStub;
beforeEach(async () => {
  service = await createServiceStub();
});
afterEach(() => service.close());

/** With a longer timeout than the default two seconds, for busy machines. */
const clientWith = ({ timeoutMs = 20_000 } = {}) =>
  createClient({ baseUrl: service.url, apiKey: 'rb_live_example', timeoutMs });

describe('a sale without a click', () => {
  it.each([null, undefined, ''])('(%j) is attributed by the customer of the sale', async (clickId) => {
    service.reply({ body: { sale: { id: 'sal_1' } } });
    const result = await clientWith().trackSale({ ...SALE, clickId, invoiceId: 'order-7' });
    expect(result).toEqual({ ok: true, status: 'recorded', answer: { sale: { id: 'sal_1' } }, invoiceId: 'order-7' });
    expect(service.calls).toMatchObject([{ path: '/api/sales', body: { ...SALE, invoiceId: 'order-7' } }]);
    expect(service.calls[0]?.body).not.toHaveProperty('clickId');
  });

  it('whose customer nobody knows yet is parked, and the result says so', async () => {
    service.reply({ status: 202, body: { parkedPayment: { id: 'pmt_1' } } });
    const result = await clientWith().trackSale({ ...SALE, invoiceId: ' ' });
    expect(result).toEqual({
      ok: true,
      status: 'parked',
      parkedPayment: { id: 'pmt_1' },
      invoiceId: expect.stringMatching(/^inv_/),
    });
  });

  it('is queued like every other sale', async () => {
    service.reply(UNAVAILABLE);
    const client = clientWith({ timeoutMs: 100 });
    expect((await client.trackSale(SALE)).status).toBe('queued');
    service.reply(OK);
    await expect.poll(client.flush).toBe(0);
    expect(service.calls.at(-1)?.path).toBe('/api/sales');
  });
});

it('a picture in a data URL, which the service would ignore, does not make a lead or sale too large', async () => {
  const profile = { customerName: 'Mara', customerAvatar: `data:image/png;base64,${'A'.repeat(70_000)}` };
  const sale = { ...SALE, clickId: 'clk_1', invoiceId: 'order-7' };
  const lead = { clickId: 'clk_1', eventName: 'Sign up', customerExternalId: 'user-1' };
  await clientWith().trackSale({ ...sale, ...profile });
  await clientWith().trackLead({ ...lead, ...profile });
  expect(service.calls.map(({ body }) => body)).toEqual(
    [sale, lead].map((sent) => ({ ...sent, customerName: 'Mara' })),
  );
});

describe('a refund', () => {
  const REFUND = { invoiceId: 'order-7', refundId: 're-1', amount: 500 };

  it('names the invoice of its sale, and is retried', async () => {
    service.reply(UNAVAILABLE, { status: 201, body: { id: 'sal_1' } });
    expect(await clientWith().refundSale(REFUND)).toEqual({ ok: true, status: 'recorded', answer: { id: 'sal_1' } });
    expect(service.calls.map(({ path, body }) => [path, body])).toEqual(Array(2).fill(['/api/refunds', REFUND]));
  });

  it('of a payment without a partner waits with it', async () => {
    service.reply({ status: 202, body: { parkedPayment: { id: 'pmt_1' } } });
    expect(await clientWith().refundSale(REFUND)).toMatchObject({ ok: true, status: 'parked' });
  });

  it('of an unknown invoice is refused', async () => {
    service.reply({ status: 404, body: { error: { code: 'NOT_FOUND', message: 'No sale' } } });
    expect(await clientWith().refundSale(REFUND)).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });
});
