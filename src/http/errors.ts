import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { ServiceError, unavailable, validationError } from '../errors.ts';
import { DatabaseFailure } from '../storage/database.ts';
import { RequestAborted } from './request-body.ts';

export interface ErrorBody {
  error: { code: string; message: string; details?: { path: string; message: string }[] };
}

/** The one shape in which every error leaves (specification 7). */
export function errorBody(error: ServiceError): ErrorBody {
  const { code, message, details } = error;
  return { error: details === undefined ? { code, message } : { code, message, details } };
}

/** The last handler of the application. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    // a router may have shortened `url`
    const { method, originalUrl: url } = request;
    answerError(log, thrown, { method, url }, response);
  };
}

type RequestLine = Pick<IncomingMessage, 'method' | 'url'>;

/** The only place that turns a thrown error into a response. */
export function answerError(log: Logger, thrown: unknown, request: RequestLine, response: ServerResponse): void {
  if (thrown instanceof RequestAborted) {
    log.debug(requestLine(request), 'the client went away');
    response.destroy();
    return;
  }
  if (response.headersSent) {
    log.error({ ...requestLine(request), err: thrown }, 'failed in the middle of its answer');
    response.destroy();
    return;
  }
  const error = asServiceError(thrown);
  if (error === null) answerBug(log, thrown, request, response);
  else answer(log, error, request, response);
}

/** A whole answer in JSON; headers that were set before stay. */
export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}

function answer(log: Logger, error: ServiceError, request: RequestLine, response: ServerResponse): void {
  const level = error.status >= 500 || error.code === 'INVALID_SIGNATURE' ? 'warn' : 'info';
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  log[level](
    { ...requestLine(request), status: error.status, code: error.code, reason: error.message, ...cause },
    'refused',
  );
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  answerJson(response, error.status, errorBody(error));
}

/** A bug: all of it to the log, and to the caller only what finds it there. */
function answerBug(log: Logger, thrown: unknown, request: RequestLine, response: ServerResponse): void {
  const requestId = randomUUID();
  log.error({ ...requestLine(request), status: 500, requestId, err: thrown }, 'request failed');
  const error = new ServiceError('INTERNAL_ERROR', `Something went wrong here. Request id: ${requestId}`);
  response.setHeader('X-Request-Id', requestId);
  answerJson(response, error.status, errorBody(error));
}

/** What was expected, as an error of the table; null for a bug. */
function asServiceError(thrown: unknown): ServiceError | null {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof DatabaseFailure) return unavailable('The database did not answer', thrown);
  // Express could not decode the path: /%ZZ
  if (thrown instanceof URIError) return validationError([{ path: '', message: 'The path of the URL is malformed' }]);
  return null;
}

/** Without the query: it may carry what is nobody's business. */
function requestLine({ method = '', url = '' }: RequestLine): { method: string; path: string } {
  return { method, path: url.split('?', 1)[0] ?? '' };
}
