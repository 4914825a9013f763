import { networkOf } from '../app/network.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import type { RequestCounter } from './rate-limit.ts';

/** Per minute: by client address, and by name from any address. */
const ATTEMPTS_MAX = { address: 10, name: 5 };

/** Counts attempts to present a secret that somebody might guess. */
export interface LimitAttempts {
  /** @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After` */
  byAddress(address: string): Promise<void>;
  /** @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After` */
  byName(name: string): Promise<void>;
}

/**
 * Counts across all processes. PostgreSQL keeps the counts for more than an hour, and so do its backups: addresses and names
 * are hashed with the key, because anybody could try all addresses otherwise.
 */
export function limitAttempts({ sealer }: Pick<Service, 'sealer'>, counter: RequestCounter): LimitAttempts {
  const limit = async (kind: keyof typeof ATTEMPTS_MAX, text: string) => {
    const { requestCount, resetMs } = await counter.count(`attempt ${kind} ${sealer.digest(text)}`);
    if (requestCount <= ATTEMPTS_MAX[kind]) return;
    const retryAfterSeconds = Math.ceil(resetMs / 1000);
    const message = `More than ${ATTEMPTS_MAX[kind]} attempts a minute; try again in ${retryAfterSeconds} seconds`;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
  };
  return {
    byAddress: (address) => limit('address', networkOf(address)),
    byName: (name) => limit('name', name),
  };
}
