import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { listAccounts } from '../accounts/accounts.ts';
import type { Service } from '../app/service.ts';
import { type Config, loadEnvironment, readConfig } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { CommandError, EXIT } from './terminal/exit-codes.ts';

/** What every command that works for one account takes. */
export interface AccountOptions {
  account?: string;
  json?: true;
}

/** A command for one account, with `--account` and `--json`. */
export function accountCommand(parent: Command, nameAndArguments: string): Command {
  return parent
    .command(nameAndArguments)
    .option('--account <id>', 'the account; needed only where there are several')
    .option('--json', 'print JSON');
}

/**
 * Opens the database of the environment beside whoever serves it, and closes it afterwards.
 *
 * @param mayCreate makes the database where there is none; otherwise a wrong working folder would be answered by an
 *   empty database
 * @throws CommandError where there is no database; ConfigError
 */
export async function withService<T>(
  work: (service: Service, config: Config) => Promise<T>,
  mayCreate = false,
): Promise<T> {
  const config = readConfig(loadEnvironment());
  if (!mayCreate) requireDatabase(config);
  const { openService } = await import('../main.ts');
  const service = await openService(config, createLog('warn', 'pretty'));
  try {
    return await work(service, config);
  } finally {
    await service.database.close();
  }
}

/** As `withService`, for the account that was named or is the only one. */
export function withAccount<T>(
  options: AccountOptions,
  work: (service: Service, accountId: string) => Promise<T>,
): Promise<T> {
  return withService(async (service) => work(service, await resolveAccount(service, options.account)));
}

/** @throws CommandError for a SQLite file that is not there */
export function requireDatabase({ database }: Config): void {
  if (database.engine === 'postgres' || existsSync(database.path)) return;
  throw new CommandError(
    EXIT.configuration,
    `There is no database at ${database.path}.\n` +
      'Run `refbridge setup` to make one, or set DATABASE_URL (the file is sought from the working folder on).',
  );
}

async function resolveAccount(service: Service, given: string | undefined): Promise<string> {
  const accounts = await listAccounts(service);
  const names = accounts.map(({ id, name }) => `  ${id}  ${name}`).join('\n');
  const [first] = accounts;
  if (first === undefined) {
    throw new CommandError(EXIT.unexpected, 'This database has no account yet: run `refbridge setup` first.');
  }
  if (given !== undefined) {
    if (accounts.some(({ id }) => id === given)) return given;
    throw new CommandError(EXIT.usage, `There is no account ${given}. There are:\n${names}`);
  }
  if (accounts.length === 1) return first.id;
  throw new CommandError(EXIT.usage, `There are several accounts; name one with --account <id>:\n${names}`);
}
