import type { z } from 'zod';
import type { EndpointSettings } from '../../adapters/contract/adapter.ts';
import { declarations } from '../../adapters/settings.ts';
import { PROCESSORS, type Processor } from '../core/processor.ts';

/** A setting or secret that some processors' endpoints have. */
export interface EndpointMember {
  /** For example `shopDomain`. */
  name: string;
  kind: 'setting' | 'secret';
  schema: z.ZodType;
  /** The processors that declare it. All processors declare `secrets` and `acceptTestEvents`. */
  processors: readonly Processor[];
}

/** Every setting and secret of any processor, once per name, in the order of the registry. */
export const ENDPOINT_MEMBERS: readonly EndpointMember[] = collectMembers();

/** The defaults of all settings. An endpoint shows them for settings that its processor does not have. */
export const DEFAULT_SETTINGS: EndpointSettings = Object.assign(
  {},
  ...PROCESSORS.map((processor) => declarations[processor].settings.parse({})),
);

const SECRET_NAMES = ENDPOINT_MEMBERS.filter(({ kind }) => kind === 'secret').map(({ name }) => name);

/** The resource's members about secrets: `secrets` is shown as `secretCount`, `authorization` as `hasAuthorization`. */
export function shownSecrets(counts: Readonly<Record<string, number>>): Record<string, number | boolean> {
  return Object.fromEntries(
    SECRET_NAMES.map((name) => [shownNameOf(name), name === 'secrets' ? (counts[name] ?? 0) : (counts[name] ?? 0) > 0]),
  );
}

/** The resource's member for a secret. */
export function shownNameOf(secret: string): string {
  return secret === 'secrets' ? 'secretCount' : `has${secret.charAt(0).toUpperCase()}${secret.slice(1)}`;
}

function collectMembers(): EndpointMember[] {
  const members = new Map<string, EndpointMember>();
  for (const processor of PROCESSORS) {
    const { settings, secrets } = declarations[processor];
    for (const [kind, { shape }] of [['setting', settings] as const, ['secret', secrets] as const]) {
      for (const [name, schema] of Object.entries(shape)) {
        const known = members.get(name);
        const processors = [...(known?.processors ?? []), processor];
        members.set(name, { name, kind, schema: schema as z.ZodType, ...known, processors });
      }
    }
  }
  return [...members.values()];
}
