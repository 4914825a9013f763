import { validationError } from '../errors.ts';
import type { Service } from './service.ts';

/**
 * The server reads from this address with its own access to the network, so only hosts that its operator has named are
 * allowed, and `https` on those of the API itself.
 *
 * @param path the member that contains the address, for the error
 * @param apiHosts further hosts of the API: those of sandboxes
 * @throws ServiceError `VALIDATION_ERROR`
 */
export function requireAllowedApi(
  { events }: Pick<Service, 'events'>,
  apiUrl: string | null,
  path: string,
  apiHosts: readonly string[] = [],
): void {
  if (apiUrl === null) return;
  const { protocol, hostname, host } = new URL(apiUrl);
  if (events.allowedHosts.has(hostname.toLowerCase())) return;
  if (protocol === 'https:' && apiHosts.includes(host.toLowerCase())) return;
  const others = apiHosts.length === 0 ? '' : ` (or be https://${apiHosts.join(' or https://')})`;
  const message = `must be on a host that EVENT_ALLOWED_HOSTS names${others}; leave it out for the real address`;
  throw validationError([{ path, message }]);
}
