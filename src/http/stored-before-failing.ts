import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';

/** A request that may store something, and may fail afterwards. */
export interface WatchedRequest {
  /** The service for its use case. */
  service: Service;
  /**
   * What to answer for an error of the use case. `UNAVAILABLE` says that nothing was recorded, and clients repeat the
   * request; after a commit, that would count twice.
   */
  errorFor(thrown: unknown): unknown;
}

export function watchWrites(service: Service): WatchedRequest {
  const { database } = service;
  let hasStored = false;
  const write: typeof database.write = async (unit, options) => {
    const result = await database.write(unit, options);
    hasStored = true;
    return result;
  };
  return {
    service: { ...service, database: { ...database, write } },
    errorFor: (thrown) => (hasStored && isUnavailable(thrown) ? partlyStored(thrown) : thrown),
  };
}

function isUnavailable(thrown: unknown): thrown is ServiceError {
  return thrown instanceof ServiceError && thrown.code === 'UNAVAILABLE';
}

function partlyStored(cause: ServiceError): ServiceError {
  const { retryAfterSeconds } = cause;
  return new ServiceError(
    'OUTCOME_UNKNOWN',
    'The database did not answer after this request, or a part of it, was recorded. Check before you send it again; ' +
      'leads, refunds and sales with an invoiceId never count twice',
    { cause, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  );
}
