import type { Command } from 'commander';
import type { Service } from '../../app/service.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { formatTable } from '../terminal/table.ts';
import { withService } from '../with-service.ts';
import { printNewAccount } from './setup.ts';

interface DeleteOptions {
  yes?: true;
  everything?: true;
  confirm?: string;
  json?: true;
}

export function addAccountsCommand(program: Command): void {
  const accounts = program.command('accounts').description('owners of all other data, isolated from each other');

  accounts
    .command('create')
    .description('create another account, with a program and an API key')
    .requiredOption('--name <name>', 'name of the account and its program')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ refbridge accounts create --name "Second Ltd"')
    .action(async (options: { name: string; json?: true }) => {
      const { createAccount, listAccounts } = await import('../../accounts/accounts.ts');
      const created = await withService(
        async (service) => {
          const account = await createAccount(service, options, commandLineActor());
          return { account, isOneOfSeveral: (await listAccounts(service)).length > 1 };
        },
        { mayCreate: true },
      );
      printNewAccount(created.account, options.json, created.isOneOfSeveral);
    });

  accounts
    .command('list')
    .description('list all accounts, oldest first')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const { listAccounts } = await import('../../accounts/accounts.ts');
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

  accounts
    .command('delete <id>')
    .description('permanently delete an account and everything in it')
    .option('--yes', 'confirm the deletion')
    .option('--everything', 'delete it even if it has sales, leads, ledger entries or deliveries')
    .option('--confirm <name>', 'the name of the account; required with --everything, and for the only account')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Works beside a running server, in small steps. If it is interrupted, run the same command again to continue.

Examples:
  $ refbridge accounts delete acc_… --yes
  $ refbridge accounts delete acc_… --yes --everything --confirm "Example Ltd"`,
    )
    .action(async (id: string, options: DeleteOptions) => {
      const { deleteAccount } = await import('../../removal/delete-account.ts');
      const progress = createProgress(options);
      const rows = await withService(
        async (service) => {
          const account = await requireDeletable(service, id, options);
          const onProgress = (count: number) => progress.show(`${account.name}: deleted ${formatCount(count)} rows`);
          return deleteAccount(service, account.id, { onProgress });
        },
        { foreignKeys: false },
      ).finally(progress.clear);
      if (options.json) printJson({ id, deleted: true, rows });
      else note(`${id} is deleted, with ${formatCount(rows)} rows.`);
    });
}

/** @throws CommandError when there is no such account, or the options do not say enough */
async function requireDeletable(service: Service, id: string, { yes, everything, confirm }: DeleteOptions) {
  const { listAccounts } = await import('../../accounts/accounts.ts');
  const { historyOf } = await import('../../removal/delete-account.ts');
  const accounts = await listAccounts(service);
  const account = accounts.find((candidate) => candidate.id === id);
  if (account === undefined) throw new CommandError(EXIT.unexpected, `There is no account ${id}.`);
  const named = `the account ${id} (${account.name})`;
  if (!yes) throw new CommandError(EXIT.usage, `This permanently deletes ${named}. Add --yes to confirm.`);
  const history = await historyOf(service, account.id);
  if (history.length > 0 && !everything) {
    const advice = `Delete them too with --everything --confirm ${JSON.stringify(account.name)}; make a backup first.`;
    throw new CommandError(EXIT.unexpected, `Nothing was deleted: ${named} has ${history.join(', ')}. ${advice}`);
  }
  const isOnly = accounts.length === 1;
  if ((everything || isOnly) && confirm !== account.name) {
    const why = isOnly ? 'it is the only one' : 'everything in it is lost';
    const advice = `Add --confirm ${JSON.stringify(account.name)}.`;
    throw new CommandError(EXIT.usage, `Nothing was deleted: confirm ${named}, because ${why}. ${advice}`);
  }
  return account;
}
