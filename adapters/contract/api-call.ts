import { readBounded } from '../../src/bounded-body.ts';
import { retryAfterSeconds } from '../../src/core/retry-after.ts';
import { ServiceError } from '../../src/errors.ts';
import type { BackfillRequest } from './adapter.ts';
import { type ApiFailure, apiError } from './backfill.ts';

/** More than any page that is asked for. An answer of a proxy may have no end. */
const ANSWER_MIB_MAX = 16;

/** For the whole answer, so that one that never ends ends, too. */
const TIMEOUT_MS = 20_000;

/** Long enough for what a processor says about its refusal. */
const REASON_MAX = 300;

/** One request to a processor's API, and what is known of its answer. */
export interface ApiCall {
  /**
   * For the processor's package, in place of its own. Resolves once the whole answer was read, which has a limit of time and
   * one of size; follows no redirects, which would take the access token to another host.
   */
  send: typeof globalThis.fetch;
  /** Its status and headers, once they have arrived. */
  head: Pick<Response, 'status' | 'headers'> | null;
  /** Why the answer was not read. */
  problem: string | null;
  isTooLarge: boolean;
}

/**
 * A call that is sent with the request's `fetch`, and ends when its signal is aborted.
 *
 * @throws ServiceError `VALIDATION_ERROR` if no header can contain the access token
 */
export function createApiCall({
  fetch: request,
  signal,
  accessToken,
}: Pick<BackfillRequest, 'fetch' | 'signal' | 'accessToken'>): ApiCall {
  // the error about such a header would quote it
  if (!/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new ServiceError(
      'VALIDATION_ERROR',
      'The access token contains a character that no access token has, such as a space or a line break: set it again',
    );
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ending = AbortSignal.any([signal, timeout]);
  const call: ApiCall = {
    head: null,
    problem: null,
    isTooLarge: false,
    async send(url, init) {
      try {
        const response = await request(url, { ...init, redirect: 'manual', signal: ending });
        call.head = response;
        const body = await readBounded(response, ANSWER_MIB_MAX * 1024 * 1024);
        call.isTooLarge = body === null;
        if (body === null) throw new Error('The answer is too large');
        const { status, headers } = response;
        return new Response(body.length === 0 ? null : body, { status, headers });
      } catch (error) {
        call.problem = problemOf(error);
        throw error;
      }
    },
  };
  const problemOf = (error: unknown): string => {
    if (signal.aborted) return 'the request was ended';
    if (timeout.aborted) return `no answer within ${TIMEOUT_MS / 1000} s`;
    if (call.isTooLarge) return `an answer of more than ${ANSWER_MIB_MAX} MiB, which is not read`;
    return `${call.head === null ? 'the connection failed' : 'the answer was cut off'}${codeOf(error)}`;
  };
  return call;
}

/** Never the error's own words, which may quote what was sent. */
function codeOf(error: unknown): string {
  const { cause } = Object(error) as { cause?: unknown };
  const { code } = Object(cause) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : '';
}

/** Who was asked for what. */
export type Asked = Pick<ApiFailure, 'processor' | 'what' | 'permission'> & Pick<BackfillRequest, 'accessToken'>;

/**
 * The error of a call without an answer of status 200; null if it has one, which was read.
 *
 * @param statedReason reads what the answer says about its failure; only called for one
 */
export function failureOf(
  { head, problem, isTooLarge }: ApiCall,
  { accessToken, ...about }: Asked,
  statedReason: () => string,
): ServiceError | null {
  if (head === null) return apiError({ ...about, status: null, reason: problem ?? 'it could not be sent' });
  const { status, headers } = head;
  if (status !== 200) {
    const isRedirect = status >= 300 && status < 400;
    const reason = isRedirect ? 'a redirect, which is not followed' : (problem ?? statedReason());
    return apiError({
      ...about,
      status,
      reason: reason.replaceAll(accessToken, '…').slice(0, REASON_MAX),
      retryAfterSeconds: retryAfterSeconds(headers),
    });
  }
  if (problem === null) return null;
  return apiError({ ...about, status: isTooLarge ? status : null, reason: problem });
}
