import type { Command } from 'commander';
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey } from '../../accounts/api-keys.ts';
import { readWholeNumber } from '../terminal/arguments.ts';
import { note, printJson, printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('API keys: full access to one account, for your backend only');

  accountCommand(keys, 'create')
    .description('a further key, shown this once')
    .requiredOption('--name <name>', 'where it is used: "production backend"')
    .option('--rate-limit <n>', 'requests a minute (default: RATE_LIMIT_PER_MINUTE)', readWholeNumber)
    .addHelpText('after', '\nExample:\n  $ refbridge keys create --name "production backend"')
    .action(async ({ name, rateLimit, ...options }: AccountOptions & { name: string; rateLimit?: number }) => {
      const body = { name, rateLimitPerMinute: rateLimit };
      const key = await withAccount(options, (service, accountId) => createApiKey(service, accountId, body));
      printResource(key, options.json);
      if (!options.json) note("It is not shown again: put it into your backend's configuration.");
    });

  addListCommand<ApiKey>(keys, {
    describe: 'keys of the account, revoked ones too',
    list: listApiKeys,
    columns: {
      id: (key) => key.id,
      name: (key) => key.name,
      key: (key) => `${key.prefix}…${key.lastFour}`,
      limit: (key) => key.rateLimitPerMinute,
      created: (key) => key.createdAt,
      'last used': (key) => key.lastUsedAt,
      revoked: (key) => key.revokedAt,
    },
  });

  accountCommand(keys, 'revoke <id>')
    .description('refuse a key from now on, for good')
    .action(async (id: string, options: AccountOptions) => {
      await withAccount(options, (service, accountId) => revokeApiKey(service, accountId, id));
      if (options.json) printJson({ id, revoked: true });
      else note(`${id} is revoked.`);
    });
}
