import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { readPage } from '../../adapters/paddle/backfill.ts';
import { ServiceError } from '../../src/errors.ts';
import { type Asked, answerHalf, answerJson, serveApi } from './api-answers.ts';
import { requestTo } from './read-all.ts';

const RECORD = { id: 'txn_2', created_at: '2026-11-03T09:12:10Z', updated_at: '2026-11-03T09:13:27.9Z' };

function pageOf(data: unknown, pagination: unknown = { has_more: false }) {
  return { data, meta: { pagination } };
}

function paddleError(type: string, code: string) {
  return { error: { type, code, detail: 'It says the-access-token', documentation_url: '' }, meta: {} };
}

/** Reads a page that must fail, and returns the failure, whose message must not contain the access token. */
async function failureOf(
  answer: (response: ServerResponse, asked: Asked) => void,
  changes: Parameters<typeof requestTo>[1] = {},
): Promise<ServiceError> {
  const { url, asked } = await serveApi((request, response) => answer(response, request));
  const error = await readPage(requestTo(url, changes)).catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw new Error(`not refused: ${String(error)}`);
  expect(error.message).not.toContain(changes.accessToken ?? 'the-access-token');
  expect(asked.length).toBeLessThanOrEqual(1);
  return error;
}

describe('reading from Paddle can succeed later', () => {
  it('after a rate limit, when Paddle says', async () => {
    const tooMany = paddleError('request_error', 'too_many_requests');
    const failure = await failureOf((response) => answerJson(response, tooMany, 429, { 'retry-after': '13' }));
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 13 });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    [
      'an error of Paddle',
      (response) => answerJson(response, paddleError('api_error', 'internal_error'), 500),
      'status 500',
    ],
    ['an error page', (response) => response.writeHead(502).end('<html>the-access-token</html>'), 'status 502'],
    ['an error of a proxy', (response) => answerJson(response, { error: 'gone' }, 503), 'status 503'],
    ['another error of a proxy', (response) => answerJson(response, { message: 'gone' }, 503), 'status 503'],
    ['an answer that is cut', (response) => answerHalf(response, pageOf([RECORD])), 'the answer was cut off'],
    ['no answer', (response) => response.destroy(), 'the connection failed'],
    ['a page without records', (response) => answerJson(response, pageOf(undefined)), 'an unexpected form'],
    ['a page that does not say whether it is the last', (r) => answerJson(r, pageOf([], {})), 'an unexpected form'],
  ])('after %s', async (_what, answer, reason) => {
    const failure = await failureOf(answer);
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: undefined });
    expect(failure.message).toMatch(/^Paddle did not answer the request for transactions: /);
    expect(failure.message).toContain(reason);
  });

  it('after 20 s without an answer', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
    const failure = await failureOf((response) => response.write('{'));
    expect(limits.mock.calls).toEqual([[20_000]]);
    limits.mockRestore();
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('no answer within 20 s') });
  });

  it('after the caller has ended it, while Paddle does not answer or before', async () => {
    const ending = new AbortController();
    const failure = await failureOf(() => ending.abort(), { signal: ending.signal });
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('the request was ended') });
    const { url, asked } = await serveApi((_asked, response) => answerJson(response, pageOf([])));
    await expect(readPage(requestTo(url, { signal: AbortSignal.abort() }))).rejects.toThrow('the request was ended');
    expect(asked).toEqual([]);
  });
});

describe('reading from Paddle fails for good', () => {
  it.each(['authentication_malformed', 'invalid_token', 'forbidden'])('with a key that is %s', async (code) => {
    const failure = await failureOf((response) => answerJson(response, paddleError('request_error', code), 403));
    expect(failure.code).toBe('VALIDATION_ERROR');
    expect(failure.message).toContain('it needs the permissions transaction.read and customer.read');
  });

  it('for adjustments, with the permission that they need', async () => {
    const refusal = paddleError('request_error', 'forbidden');
    const failure = await failureOf((response) => answerJson(response, refusal, 403), { cursor: 'adjustments' });
    expect(failure.message).toContain('it needs the permission adjustment.read');
  });

  it('with a key that no request can carry', async () => {
    const failure = await failureOf((response) => answerJson(response, pageOf([])), { accessToken: 'one\nkey' });
    expect(failure.code).toBe('VALIDATION_ERROR');
  });

  it.each<[string, unknown, string]>([
    [
      'a request that Paddle does not understand',
      paddleError('request_error', 'bad_request'),
      'bad_request: It says …',
    ],
    [
      'a record without the time of its change',
      pageOf([{ ...RECORD, updated_at: null }]),
      'a transaction (txn_2) of an unexpected form: updated_at',
    ],
    ['a record that is none', pageOf(['txn_2']), 'the whole'],
    [
      'a customer without an id',
      pageOf([{ ...RECORD, customer: { ...RECORD, id: null } }]),
      'a customer of an unexpected form: id',
    ],
    ['more pages after an empty one', pageOf([], { has_more: true }), 'does not move on'],
  ])('for %s', async (_what, answer, reason) => {
    const status = Object.hasOwn(Object(answer), 'error') ? 400 : 200;
    const failure = await failureOf((response) => answerJson(response, answer, status));
    expect(failure.code).toBe('VALIDATION_ERROR');
    expect(failure.message).toContain(reason);
  });

  it.each([
    ['transactions', 'transactions txn_2'],
    ['transactions, to an earlier one', 'transactions txn_3'],
    ['adjustments', 'adjustments txn_2'],
    ['adjustments, to a later one', 'adjustments txn_1'],
  ])('when the list of %s does not move on', async (_what, cursor) => {
    const failure = await failureOf((response) => answerJson(response, pageOf([RECORD], { has_more: true })), {
      cursor,
    });
    expect(failure).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('does not move on') });
  });

  it('with a cursor of something else', async () => {
    const failure = await failureOf((response) => answerJson(response, pageOf([])), { cursor: 'orders 2' });
    expect(failure).toMatchObject({ code: 'VALIDATION_ERROR', message: 'The cursor is not one of Paddle' });
  });
});

it('reading from Paddle follows no redirect, which would take the API key elsewhere', async () => {
  const other = await serveApi((_asked, response) => answerJson(response, pageOf([])));
  const failure = await failureOf((response) =>
    response.writeHead(302, { location: `${other.url}/transactions` }).end(),
  );
  expect(failure.code).toBe('VALIDATION_ERROR');
  expect(failure.message).toContain('with status 302: a redirect, which is not followed');
  expect(other.asked).toEqual([]);
});
