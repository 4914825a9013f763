import { type Command, Option } from 'commander';
import { loadEnvironment } from '../../process/environment.ts';
import type { AccountApi } from '../api/account-api.ts';
import { isId } from '../api/names.ts';
import { createRemoteApi } from '../api/remote-api.ts';
import { createRetryingApi } from '../api/retrying-api.ts';
import { inOptions } from '../fields/problems.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note } from '../terminal/output.ts';
import { MissingDatabase, withAccount, withAccountOf } from '../with-service.ts';
import { type Connection, type ConnectionOptions, chooseConnection } from './choose.ts';
import { readProfiles } from './profiles.ts';

const GROUP = 'Which account to use:';

const CONNECTION_OPTIONS = [
  ['--url <address>', 'the server (or REFBRIDGE_URL)'],
  ['--api-key <key>', 'an API key of the account on that server (or REFBRIDGE_API_KEY)'],
  ['--profile <name>', 'a server that `refbridge login` stored'],
  ['--local', 'the local database, even if you are logged in to a server'],
  ['--verbose', 'print on stderr which one is used'],
] as const;

/** Those that name a server. */
const SERVER_OPTIONS = [
  { name: 'url', flag: '--url' },
  { name: 'profile', flag: '--profile' },
  { name: 'apiKey', flag: '--api-key' },
] as const;

/** Commands that can also work on a server. */
const ANYWHERE = new WeakSet<Command>();
/** Commands that work on the local database only, because a server lets only a signed-in operator do the same. */
const FOR_OPERATORS = new WeakSet<Command>();
/** Commands whose `--url` means something else: the destination of a link. */
const WITHOUT_URL = new WeakSet<Command>();

/** Adds the options that say where the account is, also to the program itself, for `refbridge --url … links create --url …`. */
export function addConnectionOptions(command: Command, { url = true } = {}): Command {
  if (!url) WITHOUT_URL.add(command);
  for (const [flags, description] of CONNECTION_OPTIONS) {
    if (flags.startsWith('--url') && !url) continue;
    command.addOption(new Option(flags, description).helpGroup(GROUP));
  }
  return command;
}

/** A command that works on a server and on the local database. */
export function apiCommand(parent: Command, nameAndArguments: string, ownUrl = false): Command {
  const command = accountCommand(parent, nameAndArguments);
  ANYWHERE.add(command);
  return addConnectionOptions(command, { url: !ownUrl });
}

/** A command for one account, with `--account` and `--json`. */
function accountCommand(parent: Command, nameAndArguments: string): Command {
  return parent
    .command(nameAndArguments)
    .option(
      '--account <id>',
      'the account (or REFBRIDGE_ACCOUNT); required only if there are several and no given id identifies it',
    )
    .option('--json', 'print JSON');
}

/** A command for one account that over HTTP only a signed-in operator may run, so it works on the local database. */
export function operatorCommand(parent: Command, nameAndArguments: string): Command {
  const command = accountCommand(parent, nameAndArguments);
  FOR_OPERATORS.add(command);
  return command;
}

/** Lets commands that work on this machine only take the options that name a server, so that `refuseServer` says why not. */
export function addRefusedOptions(command: Command): void {
  for (const child of command.commands) addRefusedOptions(child);
  if (command.commands.length > 0 || ANYWHERE.has(command)) return;
  const refused = SERVER_OPTIONS.filter(({ flag }) => !command.options.some(({ long }) => long === flag));
  for (const { flag } of refused) command.addOption(new Option(`${flag} <value>`).hideHelp());
}

/**
 * Refuses options that name a server, given to a command that would ignore them and work on this machine.
 * REFBRIDGE_URL and a stored login are no reason to refuse: they are meant for the other commands.
 *
 * @throws CommandError
 */
export function refuseServer(command: Command): void {
  if (ANYWHERE.has(command)) return;
  const takes = (flag: string) => command.options.some(({ long, hidden }) => long === flag && !hidden);
  const before = rootOf(command).opts<ConnectionOptions>();
  const own = command.opts<ConnectionOptions>();
  const option = SERVER_OPTIONS.find(
    ({ name, flag }) => before[name] !== undefined || (own[name] !== undefined && !takes(flag)),
  );
  if (option === undefined) return;
  const called = `\`refbridge ${pathOf(command)}\``;
  if (takes(option.flag)) {
    throw new CommandError(EXIT.usage, `Write ${option.flag} after ${called}, not before the command.`);
  }
  if (FOR_OPERATORS.has(command)) {
    throw new CommandError(
      EXIT.usage,
      'Over HTTP, only a signed-in operator may do this: use the dashboard, or run the command beside the database.',
    );
  }
  throw new CommandError(
    EXIT.usage,
    `${called} works only on the machine where it runs, not on a server over HTTP: leave out ${option.flag}, or run it on the server itself.`,
  );
}

/** Where this command finds the account: its own options take precedence over those of its parents. */
export function connectionOf(command: Command): Connection {
  if (!ANYWHERE.has(command)) return { kind: 'local', from: 'default' };
  return chooseConnection(optionsOf(command), loadEnvironment(), () => readProfiles());
}

/**
 * Runs the work of a command: on a server if `apiCommand` made it and one was chosen, otherwise on the local database.
 *
 * @param named what the command line names. When that is one of our ids and the local database has several accounts,
 *   the work is tried for each of them, so it must begin by looking up the id
 */
export async function withApi<T>(
  command: Command,
  work: (api: AccountApi, connection: Connection) => Promise<T>,
  named: readonly (string | undefined)[] = [],
): Promise<T> {
  const connection = connectionOf(command);
  const { account, verbose } = optionsOf(command);
  if (verbose) note(connection.kind === 'local' ? await localText() : remoteText(connection));
  const run = (api: AccountApi) =>
    work(api, connection).catch((error: unknown) => {
      throw inOptions(error, command);
    });
  if (connection.kind === 'remote') return run(createRetryingApi(createRemoteApi(connection)));
  const { createLocalApi } = await import('../api/local-api.ts');
  const withOne = named.some((text) => text !== undefined && isId(text)) ? withAccountOf : withAccount;
  return withOne(account === undefined ? {} : { account }, (service, accountId) =>
    run(createLocalApi(service, accountId)),
  ).catch((error: unknown) => {
    if (!(error instanceof MissingDatabase) || !ANYWHERE.has(command)) throw error;
    const elsewhere = 'For a server elsewhere, run `refbridge login`, or give --url and --api-key.';
    throw new CommandError(error.exitCode, `${error.message}\n${elsewhere}`, error);
  });
}

function optionsOf(command: Command): ConnectionOptions & { verbose?: true } {
  const before = rootOf(command).opts();
  const { url, ...others } = command.opts();
  const own = WITHOUT_URL.has(command) ? others : { ...others, ...(url !== undefined && { url }) };
  return { ...before, ...own };
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** The words that call it, without the program's. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}

async function localText(): Promise<string> {
  const { readConfig } = await import('../../process/config.ts');
  const { database } = readConfig(process.env);
  return `Using the local database ${database.engine === 'sqlite' ? database.path : 'on PostgreSQL'}.`;
}

function remoteText({ url, from, keyFrom }: Extract<Connection, { kind: 'remote' }>): string {
  return `Using ${url} (${from}) with the API key of ${keyFrom}.`;
}
