import { unavailable } from '../errors.ts';

/** A visitor of a link waits no longer than this for the database. */
const PATIENCE_MS = 1_000;

/**
 * What `work` comes to, if it does in time; it is not stopped.
 *
 * @throws ServiceError `UNAVAILABLE` after a second; whatever `work` throws
 */
export function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(unavailable('The database did not answer in time')), PATIENCE_MS);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
