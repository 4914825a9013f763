import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import { withoutTokens } from '../app/bearer-token.ts';
import type { Route } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { dubErrorOf } from '../compat/dub/errors.ts';
import { withoutAddresses } from '../core/without-addresses.ts';
import { excerpt, firstCauseOf, messageOf, ServiceError, unavailable, validationError } from '../errors.ts';
import { DatabaseFailure } from '../storage/database.ts';
import { answerJson, answerText } from './answers.ts';
import { challengeOf } from './challenge.ts';
import { createRefusalLog } from './refusal-log.ts';
import { RequestAborted } from './request-body.ts';
import { requestIdOf, requireRequestId } from './request-id.ts';

/** As written, or encoded as a client has to, or once more. */
const ADDRESS_IN_PATH = /.(?:@|%(?:25)*40)/;
/** A reason may name each of a thousand problems. */
const REASON_LOGGED_MAX = 1_000;

export interface ErrorBody {
  error: { code: string; message: string; details?: { path: string; message: string }[] };
}

/** The JSON shape of every error. */
export function errorBody(error: ServiceError): ErrorBody {
  const { code, message, details } = error;
  return { error: details === undefined ? { code, message } : { code, message, details } };
}

/** For requests that no route handles. */
export function errorHandler(service: Service): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    answerError(service, thrown, { request, response, route: null, isStranger: true });
  };
}

type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** JSON for programs, a line of text for people; without a route, the path decides. */
type ErrorFormat = NonNullable<Route['errorFormat']>;

function formatOf({ route, request: { url = '' } }: FailedExchange): ErrorFormat {
  if (route !== null) return route.errorFormat ?? 'json';
  return url.startsWith('/compat/dub') ? 'dub' : 'json';
}

/** A failed request and its response. */
export interface FailedExchange {
  request: RequestHead;
  response: ServerResponse;
  /** Null for a request that no route handles. */
  route: Route | null;
  /** True unless the request carried a valid credential. */
  isStranger: boolean;
}

/** The only place that turns a thrown error into a response. */
export function answerError(service: Service, thrown: unknown, exchange: FailedExchange): void {
  const { log } = service;
  const { request, response } = exchange;
  if (thrown instanceof RequestAborted) {
    log.debug({ ...requestLine(request), ...requestIdOf(response) }, 'the client disconnected');
    response.destroy();
    return;
  }
  if (response.headersSent) {
    const about = { ...requestLine(request), ...requestIdOf(response) };
    const isRefused = thrown instanceof ServiceError && thrown.code === 'UNAUTHORIZED';
    if (isRefused) log.info({ ...about, reason: thrown.message }, 'broke off an answer');
    else log.error({ ...about, err: thrown }, 'request failed while sending its answer');
    response.destroy();
    return;
  }
  const error = asServiceError(thrown);
  if (error === null) answerBug(service, thrown, exchange);
  else answer(service, error, exchange);
}

function answer(service: Service, error: ServiceError, exchange: FailedExchange): void {
  const { request, response, route, isStranger } = exchange;
  const { code, logMessage } = error;
  const format = formatOf(exchange);
  const { status } = answerFor(error, format);
  const cause =
    error.cause instanceof Error ? { cause: excerpt(messageOf(firstCauseOf(error)), REASON_LOGGED_MAX) } : {};
  const reason = excerpt(withoutTokens(withoutAddresses(logMessage)), REASON_LOGGED_MAX);
  service.state(createRefusalLog).write({
    level: levelOf(error, format),
    isStranger,
    members: { ...requestLine(request), requestId: requireRequestId(response), status, code, reason, ...cause },
  });
  service.metrics.requestRefused(code);
  const challenge = route === null ? null : challengeOf(route, error, request.headers.authorization);
  if (challenge !== null) response.setHeader('WWW-Authenticate', challenge);
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  writeError(response, error, format);
}

function levelOf({ status, code }: ServiceError, format: ErrorFormat): 'debug' | 'info' | 'warn' {
  // scanners try any path, and nearly every path could be a link
  if (format === 'text' && code === 'NOT_FOUND') return 'debug';
  return status >= 500 || code === 'INVALID_SIGNATURE' ? 'warn' : 'info';
}

/** Logs and counts requests that the server refuses before any route sees them. */
export function noteRefusals(service: Service): (error: ServiceError, requestId: string) => void {
  return ({ status, code, message }, requestId) => {
    const members = { requestId, status, code, reason: message };
    service.state(createRefusalLog).write({ level: 'info', isStranger: true, members });
    service.metrics.requestRefused(code);
  };
}

/** A bug: logs everything, and answers only the request id that finds the log entry. */
function answerBug({ log, metrics }: Service, thrown: unknown, exchange: FailedExchange): void {
  const { request, response } = exchange;
  const requestId = requireRequestId(response);
  metrics.requestRefused('INTERNAL_ERROR');
  log.error({ ...requestLine(request), status: 500, requestId, err: thrown }, 'request failed');
  const error = new ServiceError(
    'INTERNAL_ERROR',
    `Something went wrong on the server. Find the reason in its log under request id ${requestId}`,
  );
  writeError(response, error, formatOf(exchange));
}

/** The status and the JSON body that a client gets. */
function answerFor(error: ServiceError, format: ErrorFormat): { status: number; body: object } {
  return format === 'dub' ? dubErrorOf(error) : { status: error.status, body: errorBody(error) };
}

function writeError(response: ServerResponse, error: ServiceError, format: ErrorFormat): void {
  const { status, body } = answerFor(error, format);
  // a cache may keep a 404 or 405 as long as it thinks right (RFC 9110, 15.1)
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  if (format === 'text') answerText(response, status, error.message);
  else answerJson(response, status, body);
}

/** Maps an operational error to a `ServiceError`; null for a bug. */
export function asServiceError(thrown: unknown): ServiceError | null {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof DatabaseFailure) return unavailable('The database did not answer', thrown);
  // thrown by Express when it cannot decode the path: /%ZZ
  if (thrown instanceof URIError) return validationError([{ path: '', message: 'The path of the URL is malformed' }]);
  return null;
}

/** Omits the query, which may contain personal data, e-mail addresses, tokens, and all but the start of a long path. */
function requestLine({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): {
  method: string;
  path: string;
} {
  const segments = (url.split('?', 1)[0] ?? '').split('/');
  const path = segments.map((segment) => (ADDRESS_IN_PATH.test(segment) ? '[e-mail address]' : segment)).join('/');
  return { method, path: excerpt(withoutTokens(path)) };
}
