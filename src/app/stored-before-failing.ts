import { ServiceError } from '../errors.ts';
import type { Service } from './service.ts';

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
    errorFor: (thrown) => (hasStored ? afterStoring(thrown) : thrown),
  };
}

/** What to answer for an error of work that follows a stored change. */
export function afterStoring(thrown: unknown): unknown {
  if (!(thrown instanceof ServiceError) || thrown.code !== 'UNAVAILABLE') return thrown;
  const { retryAfterSeconds } = thrown;
  return new ServiceError(
    'OUTCOME_UNKNOWN',
    'The database did not answer after this request, or a part of it, was recorded. Check before you send it again; ' +
      'leads, refunds and sales with an invoiceId never count twice',
    { cause: thrown, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  );
}
