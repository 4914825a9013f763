import type { Command } from 'commander';
import { createAccount, listAccounts } from '../../accounts/accounts.ts';
import { print, printJson } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withService } from '../with-service.ts';
import { printNewAccount } from './setup.ts';

export function addAccountsCommand(program: Command): void {
  const accounts = program.command('accounts').description('owners of all other data, isolated from each other');

  accounts
    .command('create')
    .description('create another account, with a program and an API key')
    .requiredOption('--name <name>', 'name of the account and its program')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ refbridge accounts create --name "Second Ltd"')
    .action(async (options: { name: string; json?: true }) => {
      printNewAccount(await withService((service) => createAccount(service, options), true), options.json);
    });

  accounts
    .command('list')
    .description('list all accounts, oldest first')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const data = await withService(listAccounts);
      if (options.json) printJson({ data, nextCursor: null });
      else
        print(
          formatTable(
            ['id', 'name', 'created'],
            data.map(({ id, name, createdAt }) => [id, name, createdAt]),
          ),
        );
    });
}
