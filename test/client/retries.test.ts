import { describe, expect, it } from 'vitest';
import {
  type Client,
  DuplicateInvoiceError,
  RefbridgeError,
  TimeoutError,
  UnreachableError,
} from '../../src/client/index.ts';
import { BROKEN, clientOf, errorOf, json, type Outcome, refusal } from './answering-fetch.ts';

describe('a retry', () => {
  const OK = json(200, { id: 'x' });
  const PARTNER = { name: 'Anna', email: 'anna@example.com' };
  const SALE = { customerExternalId: 'user_1', amount: 100 };

  it.each<[string, Outcome[], (client: Client) => PromiseLike<unknown>, number]>([
    ['reads again after a broken connection', [BROKEN, OK], (client) => client.partners.get('ptr_1'), 2],
    ['reads again after a bug', [refusal('INTERNAL_ERROR'), OK], (client) => client.partners.get('ptr_1'), 2],
    ['patches again', [BROKEN, OK], (client) => client.partners.update('ptr_1', { name: 'Anna' }), 2],
    ['creates again what was refused for now', [refusal('UNAVAILABLE'), OK], (c) => c.partners.create(PARTNER), 2],
    [
      'creates again after too many requests',
      [refusal('RATE_LIMIT_EXCEEDED'), OK],
      (c) => c.partners.create(PARTNER),
      2,
    ],
    [
      'sells again with an invoice after an unknown outcome',
      [refusal('OUTCOME_UNKNOWN'), OK],
      (client) => client.sales.report({ ...SALE, invoiceId: 'in_1' }),
      2,
    ],
    ['sells again with an invoice', [BROKEN, OK], (client) => client.sales.report({ ...SALE, invoiceId: 'in_1' }), 2],
  ])('%s', async (_what, outcomes, call, requests) => {
    const { client, sent } = clientOf(outcomes);
    await call(client);
    expect(sent).toHaveLength(requests);
  });

  it.each<[string, Outcome, (client: Client) => PromiseLike<unknown>]>([
    ['what may have been created', BROKEN, (client) => client.partners.create(PARTNER)],
    ['what the service may have stored', refusal('OUTCOME_UNKNOWN'), (client) => client.partners.create(PARTNER)],
    ['what a proxy answered for', new Response('Bad gateway', { status: 502 }), (c) => c.partners.create(PARTNER)],
    ['a sale without an invoice', BROKEN, (client) => client.sales.report(SALE)],
    ['what is refused', refusal('NOT_FOUND'), (client) => client.partners.get('ptr_1')],
  ])('is not made of %s', async (_what, outcome, call) => {
    const { client, sent } = clientOf([outcome]);
    const error = await errorOf(call(client));
    expect(error).toBeInstanceOf(RefbridgeError);
    expect([sent.length, error.attempts]).toEqual([1, 1]);
  });

  it('ends after the given number, and the error says how many there were', async () => {
    const { client, sent } = clientOf([BROKEN], { retries: 1 });
    const error = await errorOf(client.partners.get('ptr_1'));
    expect(error).toBeInstanceOf(UnreachableError);
    expect([sent.length, error.attempts]).toEqual([2, 2]);
    expect(error.message).toContain('ECONNRESET');
    await errorOf(client.partners.get('ptr_1', { retries: 0 }));
    expect(sent).toHaveLength(3);
  });

  it('of a sale that was already counted says so', async () => {
    const { client } = clientOf([BROKEN, refusal('DUPLICATE_INVOICE')]);
    const error = await errorOf(client.sales.report({ ...SALE, invoiceId: 'in_1' }));
    expect(error).toBeInstanceOf(DuplicateInvoiceError);
    expect(error.attempts).toBe(2);
  });

  it.each<[string, Outcome, string]>([
    ['whose answer was lost is success', BROKEN, 'deleted'],
    ['after an unknown outcome is success', refusal('OUTCOME_UNKNOWN'), 'deleted'],
    ['that was refused before is not', refusal('UNAVAILABLE'), 'NOT_FOUND'],
  ])('that finds nothing left to delete, of a call %s', async (_which, first, outcome) => {
    const { client, sent } = clientOf([first, refusal('NOT_FOUND')]);
    const deletion = client.webhookEndpoints.delete('whe_1').then(
      () => 'deleted',
      ({ code }) => code,
    );
    expect([await deletion, sent.length]).toEqual([outcome, 2]);
  });

  it('is not made when the service asks for a wait beyond the time limit', async () => {
    const { client, sent } = clientOf([refusal('RATE_LIMIT_EXCEEDED', { 'retry-after': '60' })]);
    const error = await errorOf(client.partners.get('ptr_1'));
    expect([error.code, error.retryAfterMs, sent.length]).toEqual(['RATE_LIMIT_EXCEEDED', 60_000, 1]);
  });
});

describe('a service that hangs', () => {
  it('is abandoned after the time limit, and retried where that is safe', async () => {
    const { client, sent } = clientOf(['silence'], { requestTimeoutMs: 300, retries: 2 });
    expect(await errorOf(client.partners.create({ name: 'A', email: 'a@example.com' }))).toBeInstanceOf(TimeoutError);
    expect(sent).toHaveLength(1);
    const again = clientOf(['silence', json(200, { id: 'ptr_1' })], { requestTimeoutMs: 3_000 });
    expect(await again.client.partners.get('ptr_1')).toEqual({ id: 'ptr_1' });
  });

  it("is abandoned when the caller aborts, with the caller's reason", async () => {
    const { client, sent } = clientOf(['silence']);
    const controller = new AbortController();
    const call = client.partners.get('ptr_1', { signal: controller.signal });
    controller.abort(new Error('the visitor has left'));
    await expect(call).rejects.toThrow('the visitor has left');
    await expect(client.partners.get('ptr_1', { signal: controller.signal })).rejects.toThrow('the visitor has left');
    expect(sent.length).toBeLessThanOrEqual(1);
  });

  it('is abandoned when the caller aborts between two attempts', async () => {
    const { client, sent } = clientOf([refusal('UNAVAILABLE', { 'retry-after': '20' })]);
    const controller = new AbortController();
    const call = client.partners.get('ptr_1', { signal: controller.signal, onResponse: () => void setTimeout(abort) });
    const abort = () => controller.abort(new Error('the visitor has left'));
    await expect(call).rejects.toThrow('the visitor has left');
    expect(sent).toHaveLength(1);
  });
});
