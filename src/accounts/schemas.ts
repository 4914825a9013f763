import { z } from 'zod';
import { pageInput, pageOfSchema } from '../app/page.ts';
import { API_KEY_SCOPES } from '../core/api-key-scope.ts';
import { timeSchema } from '../schema/answer-fields.ts';
import { optional, text, withDefault } from '../schema/fields.ts';

const SCOPE_TEXT =
  'What the key may do: `track` reports leads, sales and refunds by invoice, and creates embed tokens; `read` reads; ' +
  '`full` does everything.';
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
    scope: withDefault(z.enum(API_KEY_SCOPES), 'full').describe(`${SCOPE_TEXT} \`full\` by default.`),
  })
  .meta({ id: 'ApiKeyInput' });

export type ApiKeyInput = z.output<typeof apiKeyInput>;

export const apiKeyListQuery = pageInput('key');

/** An API key in responses, without the key itself. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    rateLimitPerMinute: z.int().nullable().describe("Requests per minute; null for the service's default limit."),
    scope: z.enum(API_KEY_SCOPES).describe(SCOPE_TEXT),
    prefix: z.string().describe('The first characters of the key.'),
    lastFour: z.string().describe('The last four characters of the key.'),
    createdAt: timeSchema,
    lastUsedAt: timeSchema.nullable().describe('Accurate to the minute.'),
    revokedAt: timeSchema.nullable().describe('Null while the key is active.'),
  })
  .meta({ id: 'ApiKey' });

export type ApiKey = z.input<typeof apiKeySchema>;

export const apiKeyListSchema = pageOfSchema(apiKeySchema, 'ApiKeyList');

/** The only response that shows the key. */
export const createdApiKeySchema = apiKeySchema
  .extend({ key: z.string().describe('The key itself, shown only once.') })
  .meta({ id: 'CreatedApiKey' });

export type CreatedApiKey = z.input<typeof createdApiKeySchema>;
