import { route } from '../app/route.ts';
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';
import { apiKeyInput, apiKeyListQuery, apiKeyListSchema, createdApiKeySchema } from './schemas.ts';

const TAG = 'API keys';

/** The API keys of the account. */
export const accountRoutes = [
  route({
    operationId: 'createApiKey',
    method: 'POST',
    path: '/api/api-keys',
    credential: 'api-key',
    action: 'api_key.create',
    tag: TAG,
    summary: 'Create an API key',
    description: 'With the scope that it is given; only owners give `full`. Only this answer shows the key.',
    body: apiKeyInput,
    status: 201,
    answer: createdApiKeySchema,
    run: ({ service, caller }, { body }) => createApiKey(service, caller, body),
  }),
  route({
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api/api-keys',
    credential: 'api-key',
    tag: TAG,
    summary: 'List API keys',
    description: 'Newest first, including revoked ones.',
    query: apiKeyListQuery,
    answer: apiKeyListSchema,
    run: ({ service, caller }, { query }) => listApiKeys(service, caller.accountId, query),
  }),
  route({
    operationId: 'revokeApiKey',
    method: 'DELETE',
    path: '/api/api-keys/:id',
    credential: 'api-key',
    action: 'api_key.revoke',
    tag: TAG,
    summary: 'Revoke an API key',
    description:
      'Permanent, and effective in every process at once. Revoking a key again changes nothing. Only owners revoke keys ' +
      'with the scope `full`.',
    errors: ['NOT_FOUND'],
    async run({ service, caller }, { parameters }) {
      await revokeApiKey(service, caller, parameters.id);
      return undefined;
    },
  }),
] as const;
