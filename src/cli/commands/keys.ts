import { type Command, Option } from 'commander';
import { createApiKey, listApiKeys, revokeApiKey } from '../../accounts/api-keys.ts';
import { type ApiKey, apiKeyInput, apiKeyListQuery } from '../../accounts/schemas.ts';
import { API_KEY_SCOPES } from '../../core/api-key-scope.ts';
import { parseInput } from '../../schema/parse.ts';
import { readWholeNumber } from '../terminal/arguments.ts';
import { note, printJson, printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount, withAccountOf } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

interface CreateOptions extends AccountOptions {
  name: string;
  rateLimit?: number;
  scope: string;
}

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('API keys of one account, for your backend only');

  accountCommand(keys, 'create')
    .description('create another key; it is shown only once')
    .requiredOption('--name <name>', 'what it is for, such as "production backend"')
    .option('--rate-limit <n>', 'requests per minute (default: RATE_LIMIT_PER_MINUTE)', readWholeNumber)
    .addOption(
      new Option('--scope <scope>', 'track: report conversions only; read: read only; full: everything')
        .choices(API_KEY_SCOPES)
        .default('full'),
    )
    .addHelpText('after', '\nExample:\n  $ refbridge keys create --name "production backend"')
    .action(async ({ name, rateLimit, scope, ...options }: CreateOptions) => {
      const input = parseInput(apiKeyInput, { name, rateLimitPerMinute: rateLimit, scope });
      const key = await withAccount(options, (service, accountId) => createApiKey(service, accountId, input));
      printResource(key, options.json);
      if (!options.json) note("The key is not shown again. Put it into your backend's configuration.");
    });

  addListCommand<ApiKey>(keys, {
    describe: 'list the keys of the account, including revoked ones',
    list: (service, accountId, query) => listApiKeys(service, accountId, parseInput(apiKeyListQuery, query)),
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

  accountCommand(keys, 'revoke <id>')
    .description('revoke a key permanently')
    .action(async (id: string, options: AccountOptions) => {
      await withAccountOf(options, (service, accountId) => revokeApiKey(service, accountId, id));
      if (options.json) printJson({ id, revoked: true });
      else note(`${id} is revoked.`);
    });
}
