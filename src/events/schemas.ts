import { z } from 'zod';
import { pageFields, pageOfSchema } from '../app/page.ts';
import { DEFAULT_EVENT_TYPES, EVENT_STATUSES, EVENT_TYPES, TEST_EVENT_TYPE } from '../core/event.ts';
import { countSchema, timeSchema } from '../schema/answer-fields.ts';
import { freeText, optional, text, withDefault } from '../schema/fields.ts';
import { periodFields } from '../schema/period-fields.ts';
import { timeField } from '../schema/time-field.ts';

const typeField = z.enum(EVENT_TYPES);

const typesField = z
  .array(typeField)
  .min(1, 'must name at least one type; leave it out for all of them')
  .transform((types) => [...new Set(types)]);

const sentTypeSchema = z.enum([...EVENT_TYPES, TEST_EVENT_TYPE]);

const urlField = text(2048)
  .refine((value) => URL.canParse(value), 'must be an absolute https URL')
  .meta({ format: 'uri', examples: ['https://example.com/webhooks/refbridge'] });

export const eventEndpointInput = z
  .object({
    url: urlField.describe('An https URL on the public internet, or on a host that `EVENT_ALLOWED_HOSTS` names.'),
    types: withDefault(typesField, [...DEFAULT_EVENT_TYPES]).describe(
      'Which events to send; all but `click.created` by default.',
    ),
    description: optional(freeText(255)),
    enabled: withDefault(z.boolean(), true).describe(
      'Whether events are sent. Those that happen while it is false are not kept for this endpoint.',
    ),
  })
  .meta({ id: 'EventEndpointInput' });

export type EventEndpointInput = z.output<typeof eventEndpointInput>;

export const eventEndpointSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    types: z.array(z.enum(EVENT_TYPES)),
    description: z.string().nullable(),
    enabled: z.boolean(),
    disabledReason: z
      .string()
      .nullable()
      .describe(
        'Why it is disabled: by a person, by its answer 410, after five days of failure, or by an import without its secret.',
      ),
    disabledAt: timeSchema.nullable(),
    failingSince: timeSchema
      .nullable()
      .describe('The time since which every attempt has failed; null while they succeed.'),
    lastSuccessAt: timeSchema.nullable(),
    createdAt: timeSchema,
  })
  .meta({ id: 'EventEndpoint' });

export type EventEndpointResource = z.input<typeof eventEndpointSchema>;

export const eventEndpointListSchema = pageOfSchema(eventEndpointSchema, 'EventEndpointList');

export const eventEndpointWithSecretSchema = z
  .object({
    ...eventEndpointSchema.shape,
    secret: z.string().describe('Verifies the signatures (`whsec_…`). Only this answer shows it.'),
  })
  .meta({ id: 'EventEndpointWithSecret' });

export type EventEndpointWithSecret = z.input<typeof eventEndpointWithSecretSchema>;

const eventDeliverySchema = z
  .object({
    endpointId: z.string(),
    url: z.string(),
    status: z.enum(EVENT_STATUSES).describe('`waiting` for its first or next attempt; `failed` when none is left.'),
    attempts: countSchema,
    nextAttemptAt: timeSchema.nullable(),
    attemptedAt: timeSchema.nullable(),
    responseStatus: z.int().nullable().describe('The status of the last answer; null without one.'),
    error: z.string().nullable().describe('Why the last attempt failed.'),
    deliveredAt: timeSchema.nullable(),
  })
  .meta({ id: 'EventDelivery' });

const eventMembers = {
  id: z.string().describe('Sent as `webhook-id`, in every attempt.'),
  type: sentTypeSchema,
  timestamp: timeSchema.describe('When it happened.'),
  data: z
    .record(z.string(), z.unknown())
    .describe('The resource as the API returned it at that time.')
    .meta({ examples: [{ id: 'sal_019f6a5e84587003bf1c2d3e4f5a6b12', amount: 4900, currency: 'usd' }] }),
  deliveries: z.array(eventDeliverySchema).describe('One for each endpoint that receives it.'),
};

export const eventSchema = z.object(eventMembers).meta({ id: 'Event' });

export type EventResource = z.input<typeof eventSchema>;

export const eventListSchema = pageOfSchema(eventSchema, 'EventList');

export const eventDetailSchema = z
  .object({
    ...eventMembers,
    attempts: z.array(
      z
        .object({
          endpointId: z.string(),
          number: countSchema,
          attemptedAt: timeSchema,
          durationMs: countSchema,
          responseStatus: z.int().nullable(),
          error: z.string().nullable(),
          response: z.string().nullable().describe('The start of the answer.'),
        })
        .meta({ id: 'EventAttempt' }),
    ),
  })
  .meta({ id: 'EventDetail' });

export type EventDetailResource = z.input<typeof eventDetailSchema>;

export const eventListQuery = z.object({
  ...pageFields('evt'),
  type: optional(sentTypeSchema),
  endpointId: optional(text()).describe('Only events for this endpoint.'),
  status: optional(z.enum(EVENT_STATUSES)).describe(
    'The status of the delivery to the given endpoint, which is required with it.',
  ),
  ...periodFields,
});

export type EventListQuery = z.output<typeof eventListQuery>;

export const resendInput = z
  .object({ endpointId: optional(text()).describe('Only to this endpoint; to all that take the type by default.') })
  .meta({ id: 'ResendInput' });

export const resendRangeInput = z
  .object({
    since: timeField.describe('Events from this time on.'),
    until: optional(timeField).describe('Events before this time; until now by default.'),
  })
  .meta({ id: 'ResendRangeInput' });

export type ResendRangeInput = z.output<typeof resendRangeInput>;

export const resentSchema = z
  .object({ count: countSchema.describe('The events that will be sent again.') })
  .meta({ id: 'Resent' });

export const listenerInput = z
  .object({ types: withDefault(typesField, [...EVENT_TYPES]).describe('Which events to fetch; all by default.') })
  .meta({ id: 'EventListenerInput' });

export const listenerSchema = z
  .object({
    id: z.string(),
    types: z.array(z.enum(EVENT_TYPES)),
    expiresAt: timeSchema.describe('When it ends unless it fetches again.'),
  })
  .meta({ id: 'EventListener' });

export type ListenerResource = z.input<typeof listenerSchema>;

export const fetchInput = z
  .object({
    received: withDefault(z.array(text()).max(1000), []).describe(
      'The ids of events that you have handled; they are not returned again.',
    ),
  })
  .meta({ id: 'EventFetchInput' });

export const fetchedSchema = z
  .object({
    data: z
      .array(
        z.object({
          id: z.string(),
          type: sentTypeSchema,
          body: z.string().describe('Byte for byte as it would be signed and sent.'),
        }),
      )
      .describe('Oldest first, at most 100.'),
  })
  .meta({ id: 'FetchedEvents' });

export type FetchedEvents = z.input<typeof fetchedSchema>;
