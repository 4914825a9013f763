import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiError, backfillKey, parseRecord } from '../../adapters/contract/backfill.ts';
import { guides } from '../../adapters/guides.ts';
import { adapters } from '../../adapters/index.ts';
import { declarations } from '../../adapters/settings.ts';
import { PROCESSORS } from '../../src/core/processor.ts';

describe('the key of a delivery that was made of a record', () => {
  it('is the same for the same type and record, and another one after any change', () => {
    const key = backfillKey('order.paid', { id: 'a', total: 1 });
    expect(key).toMatch(/^backfill_[0-9a-f]{32}$/);
    expect(backfillKey('order.paid', { id: 'a', total: 1 })).toBe(key);
    expect(backfillKey('order.paid', { id: 'a', total: 2 })).not.toBe(key);
    expect(backfillKey('order.refunded', { id: 'a', total: 1 })).not.toBe(key);
  });
});

describe('a record', () => {
  const schema = z.object({ id: z.string(), times: z.array(z.number()) });

  it('is parsed by the members that are needed', () => {
    expect(parseRecord('Polar listed an order', schema, { id: 'a', times: [1], more: true })).toEqual({
      id: 'a',
      times: [1],
    });
  });

  it.each([
    [{ id: 1, times: ['secret'] }, 'id, times.0'],
    ['secret', 'the whole'],
  ])('of an unexpected form is refused with the names of its members: %j', (record, members) => {
    const message = `Polar listed an order of an unexpected form: ${members}`;
    expect(() => parseRecord('Polar listed an order', schema, record)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', message }),
    );
  });
});

describe('the error of a failed request', () => {
  const failure = { processor: 'Polar', what: 'orders', reason: 'because', permission: 'the scope orders:read' };

  it.each([401, 403])('says what the access token needs for status %i', (status) => {
    expect(apiError({ ...failure, status })).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: `Polar refused the access token for orders (${status}): check it; it needs the scope orders:read`,
    });
  });

  it.each([408, 409, 429, 500, 503])('is temporary for status %i', (status) => {
    expect(apiError({ ...failure, status, retryAfterSeconds: 7 })).toMatchObject({
      code: 'UNAVAILABLE',
      message: `Polar did not answer the request for orders: status ${status}`,
      retryAfterSeconds: 7,
    });
  });

  it('is temporary without an answer, and says what the network said', () => {
    expect(apiError({ ...failure, status: null })).toMatchObject({
      code: 'UNAVAILABLE',
      message: 'Polar did not answer the request for orders: because',
    });
  });

  it.each([400, 404, 422])('is final for status %i', (status) => {
    expect(apiError({ ...failure, status })).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: `Polar answered the request for orders with status ${status}: because`,
    });
  });
});

describe.each(PROCESSORS)('the guide of %s', (processor) => {
  it('names an access token exactly where the endpoint has one and the adapter reads with it', async () => {
    const { settings, secrets } = declarations[processor];
    const { backfill } = await adapters[processor]();
    const hasGuide = 'accessToken' in guides[processor].backfill;
    expect('accessToken' in secrets.shape).toBe(hasGuide);
    expect('apiUrl' in settings.shape).toBe(hasGuide);
    if (backfill !== undefined) expect(hasGuide).toBe(true);
  });
});
