import { unavailable } from '../errors.ts';

/**
 * Settles as `work` does, or rejects after `timeoutMs`; the work itself is not stopped.
 *
 * @throws ServiceError `UNAVAILABLE` after the timeout; whatever `work` throws
 */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(unavailable('The database did not answer in time')), timeoutMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
