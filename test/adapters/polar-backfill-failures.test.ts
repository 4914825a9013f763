import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { readPage } from '../../adapters/polar/backfill.ts';
import { ServiceError } from '../../src/errors.ts';
import { answerHalf, answerJson, serveApi } from './api-answers.ts';
import { requestTo } from './read-all.ts';

const RECORD = { id: 'order-2', created_at: '2026-11-04T08:21:39Z', modified_at: null, paid: true };

function pageOf(items: unknown, pagination: unknown = { total_count: 1, max_page: 1 }) {
  return { items, pagination };
}

/** Reads a page that must fail, and returns the failure, whose message must not contain the access token. */
async function failureOf(
  answer: (response: ServerResponse) => void,
  changes: Parameters<typeof requestTo>[1] = {},
): Promise<ServiceError> {
  const { url, asked } = await serveApi((_request, response) => answer(response));
  const error = await readPage(requestTo(url, changes)).catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw new Error(`not refused: ${String(error)}`);
  expect(error.message).not.toContain(changes.accessToken ?? 'the-access-token');
  expect(asked.length).toBeLessThanOrEqual(1);
  return error;
}

describe('reading from Polar can succeed later', () => {
  it('after a rate limit, when Polar says', async () => {
    const tooMany = { error: 'RateLimit', detail: 'Too many requests for the-access-token' };
    const failure = await failureOf((response) => answerJson(response, tooMany, 429, { 'retry-after': '13' }));
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 13 });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['an error of Polar', (response) => answerJson(response, { detail: 'Internal' }, 500), 'status 500'],
    ['an error page', (response) => response.writeHead(502).end('<html>the-access-token</html>'), 'status 502'],
    ['a limit that does not say how long', (response) => response.writeHead(429).end(), 'status 429'],
    [
      'an answer that is cut',
      (response) => answerHalf(response, pageOf([RECORD])),
      'the answer was cut off (UND_ERR_SOCKET)',
    ],
    ['no answer', (response) => response.destroy(), 'the connection failed (UND_ERR_SOCKET)'],
    ['an answer that ends early', (response) => response.end('{"items":[{"id":"order-2"'), 'the answer is not JSON'],
  ])('after %s', async (_what, answer, reason) => {
    const failure = await failureOf(answer);
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: undefined });
    expect(failure.message).toBe(`Polar did not answer the request for orders: ${reason}`);
  });

  it('after 20 s without an answer', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
    const failure = await failureOf((response) => response.write('{'));
    expect(limits.mock.calls).toEqual([[20_000]]);
    limits.mockRestore();
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('no answer within 20 s') });
  });

  it('after the caller has ended it, while Polar does not answer or before', async () => {
    const ending = new AbortController();
    const failure = await failureOf(() => ending.abort(), { signal: ending.signal });
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('the request was ended') });
    const { url, asked } = await serveApi((_asked, response) => answerJson(response, pageOf([])));
    await expect(readPage(requestTo(url, { signal: AbortSignal.abort() }))).rejects.toThrow('the request was ended');
    expect(asked).toEqual([]);
  });

  it('after the caller has ended it in the middle of an answer', async () => {
    const ending = new AbortController();
    const failure = await failureOf((response) => response.write('{"items":[', () => ending.abort()), {
      signal: ending.signal,
    });
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('the request was ended') });
  });
});

describe('reading from Polar fails for good', () => {
  it.each([
    ['orders', null, 401],
    ['refunds', 'refunds 1', 403],
  ])('with an access token that may not read %s', async (kind, cursor, status) => {
    const refusal = { error: 'insufficient_scope', error_description: 'the-access-token' };
    const failure = await failureOf((response) => answerJson(response, refusal, status), { cursor });
    expect(failure.code).toBe('VALIDATION_ERROR');
    expect(failure.message).toContain(`(${status}): check it; it needs the scope ${kind}:read`);
  });

  it('with an access token that no request can carry', async () => {
    const failure = await failureOf((response) => answerJson(response, pageOf([])), { accessToken: 'one\ntoken' });
    expect(failure.code).toBe('VALIDATION_ERROR');
  });

  it.each<[string, number, unknown, string]>([
    ['a wrong request', 422, { detail: [{ msg: 'the-access-token' }] }, 'with status 422: [{"msg":"…"}]'],
    ['a wrong address', 404, { error: 'ResourceNotFound' }, 'with status 404: ResourceNotFound'],
    ['a page without records', 200, pageOf(undefined), 'with status 200: the answer has an unexpected form'],
    ['a page without the number of pages', 200, pageOf([], {}), 'with status 200: the answer has an unexpected form'],
    ['something else', 200, null, 'with status 200: the answer has an unexpected form'],
    [
      'an order that may be paid',
      200,
      pageOf([{ ...RECORD, paid: null }]),
      'an order (order-2) of an unexpected form: paid',
    ],
    ['a record that is none', 200, pageOf(['order-2']), 'the whole'],
    ['more pages after an empty one', 200, pageOf([], { max_page: 2 }), 'does not move on at page 1'],
  ])('for %s', async (_what, status, answer, reason) => {
    const failure = await failureOf((response) => answerJson(response, answer, status));
    expect(failure.code).toBe('VALIDATION_ERROR');
    expect(failure.message).toContain(reason);
  });

  it('when the list does not move on', async () => {
    const more = pageOf([RECORD], { max_page: 9 });
    const [earlier, created, later] = [-1, 0, 1].map((ms) => Date.parse(RECORD.created_at) + ms);
    for (const cursor of [
      `orders 2 order-2 ${created}`,
      // two pages by turns
      `orders 2 order-3 ${later}`,
      `refunds 2 order-3 ${earlier}`,
    ]) {
      const failure = await failureOf((response) => answerJson(response, more), { cursor });
      expect(failure).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('does not move on') });
    }
  });

  it('with a cursor of something else', async () => {
    const failure = await failureOf((response) => answerJson(response, pageOf([])), { cursor: 'adjustments' });
    expect(failure).toMatchObject({ code: 'VALIDATION_ERROR', message: 'The cursor is not one of Polar' });
  });

  it('when it is sent elsewhere, where it takes no access token', async () => {
    const other = await serveApi((_asked, response) => answerJson(response, pageOf([])));
    const failure = await failureOf((response) => response.writeHead(302, { location: other.url }).end());
    expect(failure.message).toContain('with status 302: a redirect, which is not followed');
    expect(other.asked).toEqual([]);
  });
});
