import { z } from 'zod';
import { pageOfSchema } from '../app/page.ts';
import { PROCESSORS } from '../core/processor.ts';
import { timeSchema } from '../schema/answer-fields.ts';
import { ENDPOINT_MEMBERS, type EndpointMember, shownNameOf } from './endpoint-members.ts';

const shownSettings = Object.fromEntries(
  ENDPOINT_MEMBERS.filter(({ kind }) => kind === 'setting').map((member) => [member.name, answerSchemaOf(member)]),
);

/** For each secret other than `secrets`, whether it is set: `hasAuthorization`. */
const shownSecrets = Object.fromEntries(
  ENDPOINT_MEMBERS.filter(({ kind, name }) => kind === 'secret' && name !== 'secrets').map(({ name }) => [
    shownNameOf(name),
    z.boolean().describe(`Whether \`${name}\` is set.`),
  ]),
);

/** A webhook endpoint in responses. Shows only the number of its secrets. */
export const endpointSchema = z
  .object({
    id: z.string(),
    programId: z
      .string()
      .nullable()
      .describe(
        'The only program whose partners earn from its payments, also because the account has no other; null: partners of every program.',
      ),
    processor: z.enum(PROCESSORS),
    secretCount: z.int().describe('How many signing secrets are set.'),
    ...shownSecrets,
    ...shownSettings,
    url: z.string().describe("The URL to enter in the processor's dashboard."),
    lastDeliveryAt: timeSchema.nullable().describe('Accurate to the minute.'),
    createdAt: timeSchema,
  })
  .meta({ id: 'WebhookEndpoint' });

export type ShownSecrets = Pick<z.input<typeof endpointSchema>, 'secretCount'>;

export interface EndpointResource extends z.input<typeof endpointSchema> {
  /** Members that adapters declare. */
  [member: string]: unknown;
}

export const endpointListSchema = pageOfSchema(endpointSchema, 'WebhookEndpointList');

/** A setting in responses: a boolean, a list, a text or null. */
function answerSchemaOf({ schema, processors }: EndpointMember): z.ZodType {
  const description = `${schema.description ?? ''} (${processors.join(', ')})`.trim();
  const base = baseOf(schema);
  if (base instanceof z.ZodBoolean) return z.boolean().describe(description);
  if (base instanceof z.ZodArray) return z.array(z.string()).nullable().describe(description);
  return z.string().nullable().describe(description);
}

/** The base schema of a field, without default and transformation. */
function baseOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) return baseOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return baseOf(schema.unwrap() as z.ZodType);
  return schema;
}
