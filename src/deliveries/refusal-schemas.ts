import { z } from 'zod';
import { pageOfSchema } from '../app/page.ts';
import { countSchema, timeSchema } from '../schema/answer-fields.ts';
import { REFUSAL_CAUSES } from './refusal-cause.ts';

export const refusalSchema = z
  .object({
    cause: z
      .enum(REFUSAL_CAUSES)
      .describe(
        '`no_secret`: the endpoint has none. `no_signature`: its header is missing. `stale`: signed too long ago, or in ' +
          'the future. `wrong_shop`: signed for another shop. `not_verified`: anything else, usually another secret.',
      ),
    reason: z.string().describe('Why the latest delivery of this kind was refused.'),
    advice: z.string().describe('What to do about it.'),
    eventType: z.string().nullable().describe('As its unverified body says; null when it says nothing.'),
    headerNames: z.array(z.string()).describe('The names of its headers; their values are not kept.'),
    count: countSchema.describe('How many were refused for this reason; several within 10 seconds count as one.'),
    firstRefusedAt: timeSchema,
    lastRefusedAt: timeSchema,
  })
  .meta({ id: 'WebhookRefusal' });

export type RefusalResource = z.input<typeof refusalSchema>;

export const refusalListSchema = pageOfSchema(refusalSchema, 'WebhookRefusalList');
