import type { Command } from 'commander';
import { createAccount, listAccounts, type NewAccount } from '../../accounts/accounts.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { formatRecord } from '../terminal/table.ts';
import { withService } from '../with-service.ts';

export function addSetupCommand(program: Command): void {
  program
    .command('setup')
    .description('create the first account, with a program on default terms and an API key')
    .option('--name <name>', 'name of the account and its program', 'My company')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The API key is shown only once; only its hash is stored. Works beside a running server.

Examples:
  $ refbridge setup --name "Example Ltd"
  $ export REFBRIDGE_API_KEY="$(refbridge setup --json | jq -r .apiKey)"`,
    )
    .action(async (options: { name: string; json?: true }) => {
      const created = await withService(async (service) => {
        const [first] = await listAccounts(service);
        if (first === undefined) return createAccount(service, { name: options.name });
        throw new CommandError(
          EXIT.unexpected,
          `This database is already set up: it has the account ${first.id} (${first.name}).\n` +
            'To create another account, run `refbridge accounts create --name <name>`; for another key, `refbridge keys create --name <name>`.',
        );
      }, true);
      printNewAccount(created, options.json);
    });
}

/** Prints the account with its API key, which is never shown again. */
export function printNewAccount(account: NewAccount, json: true | undefined): void {
  if (json) {
    printJson(account);
    return;
  }
  print(formatRecord(account));
  note(`
The API key is not shown again. Put it into your backend's configuration. Then:
  refbridge partners create --name Ana --email ana@example.com
  refbridge links create --partner <id> --url https://shop.example.com
  refbridge endpoints create --processor stripe       prints the URL for the processor's dashboard`);
}
