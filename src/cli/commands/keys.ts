import { type Command, Option } from 'commander';
import { API_KEY_SCOPES } from '../../core/api-key-scope.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { readWholeNumber } from '../terminal/arguments.ts';
import { note, printJson, printResource } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

interface CreateOptions extends AccountOptions {
  name: string;
  rateLimit?: number;
  scope: string;
}

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('API keys of one account, for your backend only');

  const create = apiCommand(keys, 'create')
    .description('create another key; it is shown only once')
    .requiredOption('--name <name>', 'what it is for, such as "production backend"')
    .option('--rate-limit <n>', 'requests per minute (default: RATE_LIMIT_PER_MINUTE)', readWholeNumber)
    .addOption(
      new Option('--scope <scope>', 'track: report conversions, create embed tokens; read: read only; full: everything')
        .choices(API_KEY_SCOPES)
        .default('full'),
    )
    .addHelpText('after', '\nExample:\n  $ refbridge keys create --name "production backend"');
  create.action(async ({ name, rateLimit, scope, json }: CreateOptions) => {
    const body = { name, rateLimitPerMinute: rateLimit, scope };
    const key = await withApi(create, (api: AccountApi) => api.call('createApiKey', { body }));
    printResource(key, json);
    if (!json) note("The key is not shown again. Put it into your backend's configuration.");
  });

  addListCommand(keys, 'listApiKeys', {
    describe: 'list the keys of the account, including revoked ones',
    columns: {
      id: (key) => key.id,
      name: (key) => key.name,
      key: (key) => `${key.prefix}…${key.lastFour}`,
      scope: (key) => key.scope,
      limit: (key) => key.rateLimitPerMinute,
      created: (key) => key.createdAt,
      'last used': (key) => key.lastUsedAt,
      revoked: (key) => key.revokedAt,
    },
  });

  const revoke = apiCommand(keys, 'revoke <id>').description('revoke a key permanently');
  revoke.action(async (id: string, options: AccountOptions) => {
    await withApi(revoke, (api) => api.call('revokeApiKey', { parameters: { id } }), [id]);
    if (options.json) printJson({ id, revoked: true });
    else note(`${id} is revoked.`);
  });
}
