import { z } from 'zod';
import type { EndpointSecrets, EndpointSettings } from '../../adapters/contract/adapter.ts';
import { declarations } from '../../adapters/settings.ts';
import { PROCESSORS, type Processor } from '../core/processor.ts';
import { optional, text } from '../schema/fields.ts';
import { parseInput } from '../schema/parse.ts';
import { ENDPOINT_MEMBERS, type EndpointMember } from './endpoint-members.ts';

/** The parsed input of an endpoint. */
export interface EndpointInput {
  processor: Processor;
  settings: EndpointSettings;
  secrets: EndpointSecrets;
  programId: string | null;
}

const programId = optional(
  text().describe(
    'Limits the payments to partners of this program: a match in another program is skipped. Null: every program.',
  ),
);

/** The body that creates an endpoint, by processor. Secrets may be omitted at first. */
export const endpointBody = z
  .discriminatedUnion(
    'processor',
    PROCESSORS.map(bodyOf) as [ReturnType<typeof bodyOf>, ...ReturnType<typeof bodyOf>[]],
    { error: `must be one of ${PROCESSORS.join(', ')}` },
  )
  .meta({ id: 'WebhookEndpointInput' });

/** The members that a patch may change. `processor` is accepted but cannot change. */
export const endpointPatch = z
  .object({
    processor: z.enum(PROCESSORS),
    programId,
    ...Object.fromEntries(ENDPOINT_MEMBERS.map(({ name, schema }) => [name, schema])),
  })
  .meta({ id: 'WebhookEndpointPatch' });

/** @throws ServiceError `VALIDATION_ERROR`, also for members that only other processors have */
export function parseEndpoint(body: unknown): EndpointInput {
  return endpointInputOf(parseInput(endpointBody, body));
}

/** Splits the parsed body into settings, which are shown, and secrets, which are encrypted. */
export function endpointInputOf({ processor, programId, ...members }: z.output<typeof endpointBody>): EndpointInput {
  const { settings, secrets } = declarations[processor];
  return {
    processor,
    programId,
    settings: pick(members, Object.keys(settings.shape)),
    secrets: pick(members, Object.keys(secrets.shape)) as EndpointSecrets,
  };
}

function bodyOf(processor: Processor) {
  const { settings, secrets } = declarations[processor];
  const foreign = ENDPOINT_MEMBERS.filter(({ processors }) => !processors.includes(processor));
  return z.object({
    ...Object.fromEntries(foreign.map((member) => [member.name, refusedUnlessUnset(member)])),
    ...settings.shape,
    ...secrets.shape,
    processor: z.literal(processor),
    programId,
  });
}

/**
 * Accepts the values that API responses contain for an unset member (null, or false for a switch), since clients may
 * send them back.
 */
function refusedUnlessUnset({ processors, schema }: EndpointMember) {
  const isUnset = (value: unknown) => (value ?? null) === null || (value === false && schema.safeParse(false).success);
  return z
    .unknown()
    .optional()
    .refine(isUnset, `is for ${processors.join(', ')} endpoints only`);
}

function pick(members: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}
