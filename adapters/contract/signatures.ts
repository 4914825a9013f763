import type { EndpointSecrets } from './adapter.ts';

/** The endpoint's secrets without empty ones, which some packages would accept. */
export function usableSecrets({ secrets }: EndpointSecrets): string[] {
  return secrets.filter((secret) => secret.trim() !== '');
}

/**
 * Why a delivery is refused that none of the secrets has signed.
 *
 * @param owner what else at the processor may have signed the delivery, such as `another webhook`
 */
export function noneMatches(secrets: readonly string[], owner: string): string {
  const which =
    secrets.length === 1
      ? 'The secret of this endpoint does not match'
      : `None of the ${secrets.length} secrets of this endpoint matches`;
  return `${which}: it belongs to ${owner}, or the body was changed on the way`;
}
