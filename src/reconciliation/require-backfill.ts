import type { EndpointSecrets } from '../../adapters/contract/adapter.ts';
import { guides } from '../../adapters/guides.ts';
import type { Service } from '../app/service.ts';
import { openSecrets } from '../deliveries/endpoint-secrets.ts';
import { ServiceError } from '../errors.ts';

export interface ApiAccess {
  accessToken: string;
  /** Null: the processor's usual address. */
  apiUrl: string | null;
}

type EndpointWithId = Parameters<typeof openSecrets>[1] & { id: string };

/**
 * What the processor's API is read with.
 *
 * @throws ServiceError `INVALID_STATE` when the API has no list of the past, or the endpoint no access token that can be
 *   decrypted
 */
export function requireBackfill(service: Service, endpoint: EndpointWithId): ApiAccess {
  const { id, processor } = endpoint;
  const { backfill } = guides[processor];
  if ('unavailable' in backfill) throw new ServiceError('INVALID_STATE', backfill.unavailable);
  const { accessToken, apiUrl } = openAll(service, endpoint);
  if (typeof accessToken !== 'string') {
    throw new ServiceError(
      'INVALID_STATE',
      `Endpoint ${id} has no access token to read with. Set accessToken: ${backfill.accessToken}; it needs ${backfill.permission}`,
    );
  }
  return { accessToken, apiUrl: typeof apiUrl === 'string' ? apiUrl : null };
}

function openAll(service: Service, endpoint: EndpointWithId): EndpointSecrets {
  try {
    return openSecrets(service, endpoint);
  } catch {
    throw new ServiceError(
      'INVALID_STATE',
      `Another SECRET_KEY encrypted the access token of ${endpoint.id}: add that key to SECRET_KEY_FALLBACKS`,
    );
  }
}
