import { ACCESS_TOKEN } from '../../adapters/contract/access-token.ts';
import type { EndpointSecrets } from '../../adapters/contract/adapter.ts';
import { declarations } from '../../adapters/settings.ts';
import { BoundedCache } from '../app/bounded-cache.ts';
import type { Sealer, Service } from '../app/service.ts';
import type { Processor } from '../core/processor.ts';
import { ServiceError } from '../errors.ts';
import type { Endpoint } from './queries/endpoints.ts';

/** Decrypted secrets by their sealed bytes, because decryption costs more than checking a signature. */
const createOpenedSecrets = ({ clock }: Service) =>
  new BoundedCache<string, EndpointSecrets>({ entriesMax: 1_000, clock });

/** The columns of an endpoint's secrets. */
export function sealSecrets(
  sealer: Sealer,
  secrets: EndpointSecrets,
): Pick<Endpoint, 'sealedSecrets' | 'secretCounts'> {
  const counts = Object.entries(secrets).map(([name, value]): [string, number] => [name, countOf(value)]);
  const isEmpty = counts.every(([, count]) => count === 0);
  return {
    sealedSecrets: isEmpty ? null : sealer.seal(JSON.stringify(secrets)),
    secretCounts: Object.fromEntries(counts),
  };
}

/**
 * The endpoint's secrets and settings; an empty list and nulls for secrets that are not set.
 *
 * @throws Error when the secrets were encrypted with another `SECRET_KEY`
 */
export function openSecrets(
  service: Service,
  { processor, sealedSecrets, settings }: Pick<Endpoint, 'processor' | 'sealedSecrets' | 'settings'>,
): EndpointSecrets {
  const secrets = sealedSecrets === null ? readSecrets(processor, {}) : openSealed(service, processor, sealedSecrets);
  return { ...settings, ...secrets };
}

/**
 * As `openSecrets`, for a change: secrets that another `SECRET_KEY` sealed are as if they were not set, provided that the change
 * gives all of them again.
 *
 * @throws ServiceError `INVALID_STATE` for secrets that cannot be decrypted and that the change does not give
 */
export function openForChange(
  service: Service,
  endpoint: Pick<Endpoint, 'processor' | 'sealedSecrets' | 'settings' | 'secretCounts'>,
  given: Readonly<Record<string, unknown>>,
): EndpointSecrets {
  try {
    return openSecrets(service, endpoint);
  } catch {
    const lost = Object.entries(endpoint.secretCounts).filter(([name, count]) => count > 0 && !(name in given));
    if (lost.length === 0) return openSecrets(service, { ...endpoint, sealedSecrets: null });
    const names = lost.map(([name]) => name).join(' and ');
    throw new ServiceError(
      'INVALID_STATE',
      `Another SECRET_KEY encrypted this endpoint's secrets: give ${names} again`,
    );
  }
}

/** The names of the secrets that differ, never their values. */
export function changedSecrets(before: EndpointSecrets, after: EndpointSecrets): string[] {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)))
    .map(([name]) => name);
}

/** True when the endpoint has at least one secret to verify deliveries with. */
export function hasSecrets({ secretCounts }: Pick<Endpoint, 'secretCounts'>): boolean {
  return Object.entries(secretCounts).some(([name, count]) => name !== ACCESS_TOKEN && count > 0);
}

function openSealed(service: Service, processor: Processor, sealed: Buffer): EndpointSecrets {
  const openedSecrets = service.state(createOpenedSecrets);
  const key = sealed.toString('latin1');
  const cached = openedSecrets.get(key);
  if (cached !== undefined) return cached;
  const secrets = readSecrets(processor, JSON.parse(service.sealer.open(sealed)));
  openedSecrets.set(key, secrets);
  return secrets;
}

function readSecrets(processor: Processor, stored: unknown): EndpointSecrets {
  return declarations[processor].secrets.parse(stored) as unknown as EndpointSecrets;
}

function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return value === null ? 0 : 1;
}
