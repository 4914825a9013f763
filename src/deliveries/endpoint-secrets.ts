import type { EndpointSecrets } from '../../adapters/contract/adapter.ts';
import type { Sealer } from '../app/service.ts';
import type { Endpoint } from './queries/endpoints.ts';

/** What is sealed of an endpoint: what would let somebody else speak for the processor. */
export type SealedSecrets = Pick<EndpointSecrets, 'secrets' | 'authorization'>;

const NO_SECRETS: SealedSecrets = { secrets: [], authorization: null };

/** Opened secrets are kept for so many endpoints at most: decrypting one costs more than checking its signature. */
const OPENED_MAX = 1000;

/** By sealer, because bytes mean nothing without their key; then by the sealed bytes. */
const opened = new WeakMap<Sealer, Map<string, SealedSecrets>>();

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
  sealer: Sealer,
  { sealedSecrets, shopDomain }: Pick<Endpoint, 'sealedSecrets' | 'shopDomain'>,
): EndpointSecrets {
  return { ...(sealedSecrets === null ? NO_SECRETS : openSealed(sealer, sealedSecrets)), shopDomain };
}

function openSealed(sealer: Sealer, sealed: Buffer): SealedSecrets {
  const known = opened.get(sealer) ?? new Map<string, SealedSecrets>();
  opened.set(sealer, known);
  const key = sealed.toString('latin1');
  const before = known.get(key);
  if (before !== undefined) return before;
  const secrets = JSON.parse(sealer.open(sealed)) as SealedSecrets;
  // rotation leaves entries behind that nobody asks for again
  if (known.size >= OPENED_MAX) known.clear();
  known.set(key, secrets);
  return secrets;
}
