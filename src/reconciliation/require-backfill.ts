import type { EndpointSecrets } from '../../adapters/contract/adapter.ts';
import { guides } from '../../adapters/guides.ts';
import type { Processor } from '../core/processor.ts';
import { ServiceError } from '../errors.ts';

export interface ApiAccess {
  accessToken: string;
  /** Null: the processor's usual address. */
  apiUrl: string | null;
}

/**
 * What the processor's API is read with.
 *
 * @throws ServiceError `INVALID_STATE` when the API has no list of the past, or the endpoint no access token
 */
export function requireBackfill(
  { id, processor }: { id: string; processor: Processor },
  { accessToken, apiUrl }: EndpointSecrets,
): ApiAccess {
  const { backfill } = guides[processor];
  if ('unavailable' in backfill) throw new ServiceError('INVALID_STATE', backfill.unavailable);
  if (typeof accessToken !== 'string') {
    throw new ServiceError(
      'INVALID_STATE',
      `Endpoint ${id} has no access token to read with. Set accessToken: ${backfill.accessToken}; it needs ${backfill.permission}`,
    );
  }
  return { accessToken, apiUrl: typeof apiUrl === 'string' ? apiUrl : null };
}
