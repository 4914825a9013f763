import type { ServerResponse } from 'node:http';
import { networkOf } from '../app/network.ts';
import { ServiceError } from '../errors.ts';
import { countWithin, createMemoryCounter } from './rate-limit.ts';

/** Many people may share an address (an office, a mobile network), but no person clicks twice a second for a minute. */
const REQUESTS_MAX = 120;

/** Counts a request of the address. @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After` */
export type LimitByAddress = (address: string, response: ServerResponse) => Promise<void>;

/**
 * Refuses more than 120 requests a minute from one address. Each process counts in its own memory, and forgets addresses
 * after their minute.
 */
export function limitByAddress(): LimitByAddress {
  const counter = createMemoryCounter();
  return async (address, response) => {
    const resetSeconds = await countWithin(counter, networkOf(address), REQUESTS_MAX, response);
    if (resetSeconds === null) return;
    const message = `More than ${REQUESTS_MAX} clicks a minute from this address; retry in ${resetSeconds} seconds`;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: resetSeconds });
  };
}
