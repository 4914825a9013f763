import type { Command } from 'commander';
import type { NewAccount } from '../../accounts/accounts.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { hint, print, printJson } from '../terminal/output.ts';
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
The API key is shown only once; only its hash is stored. The sign-in address opens the dashboard as the account's owner; it
works once, within 30 minutes, and \`refbridge login-link\` prints another. Works beside a running server.

Examples:
  $ refbridge setup --name "Example Ltd"
  $ export REFBRIDGE_API_KEY="$(refbridge setup --json | jq -r .apiKey)"`,
    )
    .action(async (options: { name: string; json?: true }) => {
      const { createAccount, listAccounts } = await import('../../accounts/accounts.ts');
      const { auditedService } = await import('../../accounts/audit-log.ts');
      const { createLoginLink } = await import('../../accounts/login-link.ts');
      const { firstOwnerInput } = await import('../../accounts/operator-schemas.ts');
      const { parseInput } = await import('../../schema/parse.ts');
      const actor = commandLineActor();
      const created = await withService(
        async (service) => {
          const [first] = await listAccounts(service);
          if (first === undefined) {
            const account = await createAccount(service, { name: options.name }, actor);
            const { accountId } = account;
            const audited = auditedService(service, { accountId, actor, action: 'operator.invite' });
            const { url: signInUrl } = await createLoginLink(audited, accountId, {
              operator: null,
              firstOwner: parseInput(firstOwnerInput, {}),
            });
            return { ...account, signInUrl };
          }
          throw new CommandError(
            EXIT.unexpected,
            `This database is already set up: it has the account ${first.id} (${first.name}).\n` +
              'To create another account, run `refbridge accounts create --name <name>`; for another key, `refbridge keys create --name <name>`.',
          );
        },
        { mayCreate: true },
      );
      printNewAccount(created, options.json);
    });
}

/**
 * Prints the account with its API key, which is never shown again.
 *
 * @param isOneOfSeveral true when commands must be told which account they are for
 */
export function printNewAccount(
  account: NewAccount & { signInUrl?: string },
  json: true | undefined,
  isOneOfSeveral = false,
): void {
  if (json) {
    printJson(account);
    return;
  }
  print(formatRecord(account));
  hint(`
The API key is not shown again. Put it into your backend's configuration. Then:${
    isOneOfSeveral ? `\n  export REFBRIDGE_ACCOUNT=${account.accountId}` : ''
  }
  refbridge login-link                                signs you in to the dashboard${account.signInUrl === undefined ? '' : ', as signInUrl does, once, within 30 minutes'}
  refbridge partners create --name Ana --email ana@example.com
  refbridge links create --partner <id> --url https://shop.example.com
  refbridge endpoints create --processor stripe       prints the URL for the processor's dashboard`);
}
