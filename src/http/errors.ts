import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, Request, Response } from 'express';
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

/** The only place that turns a thrown error into a response: the last handler of the application. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
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
  };
}

function answer(log: Logger, error: ServiceError, request: Request, response: Response): void {
  const level = error.status >= 500 || error.code === 'INVALID_SIGNATURE' ? 'warn' : 'info';
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  log[level](
    { ...requestLine(request), status: error.status, code: error.code, reason: error.message, ...cause },
    'refused',
  );
  if (error.retryAfterSeconds !== undefined) response.set('Retry-After', String(error.retryAfterSeconds));
  response.status(error.status).json(errorBody(error));
}

/** A bug: all of it to the log, and to the caller only what finds it there. */
function answerBug(log: Logger, thrown: unknown, request: Request, response: Response): void {
  const requestId = randomUUID();
  log.error({ ...requestLine(request), status: 500, requestId, err: thrown }, 'request failed');
  const error = new ServiceError('INTERNAL_ERROR', `Something went wrong here. Request id: ${requestId}`);
  response.status(error.status).set('X-Request-Id', requestId).json(errorBody(error));
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
function requestLine(request: Request): { method: string; path: string } {
  return { method: request.method, path: request.originalUrl.split('?', 1)[0] ?? '' };
}
