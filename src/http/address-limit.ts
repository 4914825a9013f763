import type { ServerResponse } from 'node:http';
import { networkOf } from '../app/network.ts';
import { createMemoryCounter, requireWithin } from './rate-limit.ts';

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
  const policy = { limit: REQUESTS_MAX, who: 'with clicks from this address' };
  return (address, response) => requireWithin(counter, { key: networkOf(address), ...policy }, response);
}
