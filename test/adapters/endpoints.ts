import type { Adapter, EndpointSecrets, EndpointSettings } from '../../adapters/contract/adapter.ts';

/** The value of every secret text that an adapter declares besides the signing secrets. */
export const AUTHORIZATION = 'Bearer the-authorization-of-this-endpoint';

/** An endpoint with these signing secrets, every other secret that its adapter declares, and default settings. */
export function secretsOf(adapter: Adapter<string>, ...secrets: string[]): EndpointSecrets {
  return endpointOf(adapter, secrets, AUTHORIZATION);
}

/** As `endpointOf`, with a different text for every other secret. */
export function endpointOf(adapter: Adapter<string>, secrets: readonly string[], otherSecret: string): EndpointSecrets {
  const others = Object.keys(adapter.secrets.shape).filter((name) => name !== 'secrets');
  return {
    ...adapter.settings.parse({}),
    ...Object.fromEntries(others.map((name) => [name, otherSecret])),
    secrets,
  };
}

/** Settings with every boolean true, so that the adapter reads as much as possible. */
export function anySettingsOf(adapter: Adapter<string>): EndpointSettings {
  const settings = Object.entries(adapter.settings.parse({}));
  return Object.fromEntries(settings.map(([name, value]) => [name, typeof value === 'boolean' ? true : value]));
}
