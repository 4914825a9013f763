import type { EndpointSecrets } from '../../adapters/contract/adapter.ts';
import { BoundedCache } from '../app/bounded-cache.ts';
import type { Sealer, Service } from '../app/service.ts';
import type { Endpoint } from './queries/endpoints.ts';

/** What is sealed of an endpoint: what would let somebody else speak for the processor. */
export type SealedSecrets = Pick<EndpointSecrets, 'secrets' | 'authorization'>;

const NO_SECRETS: SealedSecrets = { secrets: [], authorization: null };

/** Opened secrets by their sealed bytes, because decrypting them costs more than checking a signature. */
const createOpenedSecrets = ({ clock }: Service) =>
  new BoundedCache<string, SealedSecrets>({ entriesMax: 1_000, clock });

/** The columns that hold an endpoint's secrets. */
export function sealSecrets(
  sealer: Sealer,
  { secrets, authorization }: SealedSecrets,
): Pick<Endpoint, 'sealedSecrets' | 'secretCount' | 'hasAuthorization'> {
  const isEmpty = secrets.length === 0 && authorization === null;
  return {
    sealedSecrets: isEmpty ? null : sealer.seal(JSON.stringify({ secrets, authorization })),
    secretCount: secrets.length,
    hasAuthorization: authorization !== null,
  };
}

/**
 * What the endpoint recognises its processor by; an empty list and nulls where nothing was set yet.
 *
 * @throws Error when the secrets were sealed with another `SECRET_KEY`
 */
export function openSecrets(
  service: Service,
  { sealedSecrets, shopDomain }: Pick<Endpoint, 'sealedSecrets' | 'shopDomain'>,
): EndpointSecrets {
  return { ...(sealedSecrets === null ? NO_SECRETS : openSealed(service, sealedSecrets)), shopDomain };
}

function openSealed(service: Service, sealed: Buffer): SealedSecrets {
  const openedSecrets = service.state(createOpenedSecrets);
  const key = sealed.toString('latin1');
  const cached = openedSecrets.get(key);
  if (cached !== undefined) return cached;
  const secrets = JSON.parse(service.sealer.open(sealed)) as SealedSecrets;
  openedSecrets.set(key, secrets);
  return secrets;
}
