import { z } from 'zod';
import { pageInput, pageOfSchema } from '../app/page.ts';
import { timeSchema } from '../schema/answer-fields.ts';
import { optional, text } from '../schema/fields.ts';

const RATE_LIMIT_MAX = 1_000_000;

export const accountInput = z.object({ name: text() });

export type AccountInput = z.output<typeof accountInput>;

/** The input of a new API key. */
export const apiKeyInput = z
  .object({
    name: text()
      .describe('Where it is used.')
      .meta({ examples: ['production backend'] }),
    rateLimitPerMinute: optional(z.number().int().min(1, 'must be at least 1').max(RATE_LIMIT_MAX)).describe(
      "Requests per minute; the service's default limit when omitted.",
    ),
  })
  .meta({ id: 'ApiKeyInput' });

export type ApiKeyInput = z.output<typeof apiKeyInput>;

export const apiKeyListQuery = pageInput('key');

/** An API key in answers, without the key itself. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    rateLimitPerMinute: z.int().nullable().describe("Requests per minute; null for the service's default limit."),
    prefix: z.string().describe('The first characters of the key.'),
    lastFour: z.string().describe('The last four characters of the key.'),
    createdAt: timeSchema,
    lastUsedAt: timeSchema.nullable().describe('To the minute.'),
    revokedAt: timeSchema.nullable().describe('Null while the key is active.'),
  })
  .meta({ id: 'ApiKey' });

export type ApiKey = z.input<typeof apiKeySchema>;

export const apiKeyListSchema = pageOfSchema(apiKeySchema, 'ApiKeyList');

/** The only answer that shows the key. */
export const createdApiKeySchema = apiKeySchema
  .extend({ key: z.string().describe('The key itself, shown only once.') })
  .meta({ id: 'CreatedApiKey' });

export type CreatedApiKey = z.input<typeof createdApiKeySchema>;
