import { statSync } from 'node:fs';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Config } from '../process/config.ts';
import { loadEnvironment } from '../process/environment.ts';
import { storageProblem } from '../process/private-files.ts';
import { commandLineActor } from './command-line-actor.ts';
import { CommandError, EXIT } from './terminal/exit-codes.ts';

/** Options of every command that works for one account. */
export interface AccountOptions {
  account?: string;
  json?: true;
}

export interface OpeningOptions {
  /** Creates a missing database with its key file. Otherwise, a wrong working folder is an error, not an empty database. */
  mayCreate?: boolean;
  /** False for work that deletes whole accounts. */
  foreignKeys?: boolean;
}

/**
 * Opens the configured database, which a server may be using, and closes it afterwards.
 *
 * @throws CommandError if there is no database; SchemaMismatch if it needs a migration; ConfigError
 */
export async function withService<T>(
  work: (service: Service, config: Config) => Promise<T>,
  { mayCreate = false, foreignKeys = true }: OpeningOptions = {},
): Promise<T> {
  const { readConfig } = await import('../process/config.ts');
  const config = readConfig(loadEnvironment());
  if (!mayCreate) requireDatabase(config);
  const { createLog } = await import('../process/log.ts');
  const { createMissingKey } = await import('../process/prepare-sealer.ts');
  const { openService } = await import('../open-service.ts');
  const schema = mayCreate ? 'create' : 'expect';
  const service = await openService(config, createLog('warn', 'pretty'), {
    schema,
    sqlite: { foreignKeys, isBesideServer: true },
  });
  try {
    if (mayCreate) createMissingKey(config);
    return await work(service, config);
  } finally {
    await service.database.close();
  }
}

/** Like `withService`, for the named account or the only one. */
export function withAccount<T>(
  options: AccountOptions,
  work: (service: Service, accountId: AccountId) => Promise<T>,
): Promise<T> {
  return withService(async (service) => work(service, await resolveAccount(service, options.account)));
}

/**
 * Like `withAccount`, for work that begins by looking up an id: without a named account, it runs in the account that
 * the id belongs to. The work may run once for each account, and must not change anything when it does not find the id.
 */
export function withAccountOf<T>(
  options: AccountOptions,
  work: (service: Service, accountId: AccountId) => Promise<T>,
): Promise<T> {
  return withService(async (service) => {
    const { listAccounts } = await import('../accounts/accounts.ts');
    const accounts = namedAccount(options.account) === undefined ? await listAccounts(service) : [];
    if (accounts.length <= 1) return work(service, await resolveAccount(service, options.account));
    const problems = new Set<string>();
    for (const { id } of accounts) {
      try {
        return await work(service, id);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
        problems.add(error.message.replace('in this account', 'in any account'));
      }
    }
    throw new CommandError(EXIT.unexpected, [...problems].join('; '));
  });
}

/** What a command does to an account, such as `partner.create`, under the name that the routes for the same change use. */
interface AccountChange<T> {
  action: string;
  work(service: Service, accountId: AccountId): Promise<T>;
}

/** Like `withAccount`, for a change: the account's audit log names the command line. Every command that writes uses this. */
export function changeAccount<T>(options: AccountOptions, { action, work }: AccountChange<T>): Promise<T> {
  return withAccount(options, async (service, accountId) => {
    const { auditedService } = await import('../accounts/audit-log.ts');
    return work(auditedService(service, { accountId, actor: commandLineActor(), action }), accountId);
  });
}

/** The account from the option, otherwise from the environment. */
function namedAccount(given: string | undefined): string | undefined {
  return given ?? (process.env.REFBRIDGE_ACCOUNT?.trim() || undefined);
}

/** There is no database where the configuration says. */
export class MissingDatabase extends CommandError {
  constructor(path: string) {
    super(
      EXIT.configuration,
      `There is no database at ${path}.\n` +
        'Run `refbridge setup` to create one, or set DATABASE_URL (paths are relative to the working folder).',
    );
    this.name = 'MissingDatabase';
  }
}

/** @throws MissingDatabase if the SQLite file does not exist; Error with advice if this user may not look */
export function requireDatabase({ database }: Config): void {
  if (database.engine === 'postgres' || exists(database.path)) return;
  throw new MissingDatabase(database.path);
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw storageProblem(path, error) ?? error;
  }
}

async function resolveAccount(service: Service, option: string | undefined): Promise<AccountId> {
  const { listAccounts } = await import('../accounts/accounts.ts');
  const given = namedAccount(option);
  const accounts = await listAccounts(service);
  const names = accounts.map(({ id, name }) => `  ${id}  ${name}`).join('\n');
  const [first] = accounts;
  if (first === undefined) {
    throw new CommandError(EXIT.unexpected, 'This database has no accounts yet: run `refbridge setup` first.');
  }
  if (given !== undefined) {
    const named = accounts.find(({ id }) => id === given);
    if (named !== undefined) return named.id;
    throw new CommandError(EXIT.usage, `There is no account ${given}. Available:\n${names}`);
  }
  if (accounts.length === 1) return first.id;
  throw new CommandError(
    EXIT.usage,
    `There are several accounts. Choose one with --account <id>, or set REFBRIDGE_ACCOUNT:\n${names}`,
  );
}
