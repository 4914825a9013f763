import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { asCalled } from '../app/invocation.ts';
import { COMMANDS } from './commands.ts';
import { addConnectionOptions, addRefusedOptions, refuseServer } from './connection/with-api.ts';
import { addExamples } from './examples.ts';
import { EXIT, type ExitCode } from './terminal/exit-codes.ts';
import { describeFailure } from './terminal/failure.ts';
import { note } from './terminal/output.ts';

const HELP = `
First steps:
  $ refbridge demo                          show the product on a temporary database
  $ refbridge serve                         start the server; then, in another terminal:
  $ refbridge setup                         create an account, its API key and an address that signs you in
  $ refbridge endpoints create --help       connect a payment processor

The account comes from an option, else the environment, else a stored login, else the local database:
  $ refbridge sales list --url https://refer.example.com --api-key rb_live_…
  $ refbridge login                         store the server and the key for later commands
  $ refbridge sales list                    in the database of this folder (DATABASE_URL), beside a running server
  $ refbridge whoami                        which of these applies here

Environment (all optional, also read from .env; see .env.example):
  DATABASE_URL   file:./data/refbridge.db or postgres://user:password@host/database
  BASE_URL       the public address of the server
  REFBRIDGE_URL, REFBRIDGE_API_KEY  a server and an API key, instead of the local database
  REFBRIDGE_ACCOUNT  the account in the local database, if there are several
  SECRET_KEY     encrypts stored secrets and payout details (default: the file secret.key beside the database)

Data goes to stdout, logs and hints to stderr. Commands work beside a running server.
Exit codes: 0 done, 1 unexpected result, 2 usage, 3 server or database unreachable, 4 missing secret or configuration,
130 interrupted by Ctrl-C (143 by SIGTERM, 129 by the end of the terminal).`;

/**
 * Runs one command.
 *
 * @param words of the command line, without the paths of Node and the script
 * @returns the exit code; a command may set a different one in `process.exitCode`
 */
export async function runProgram(words: readonly string[]): Promise<ExitCode> {
  try {
    const program = await createProgram(firstAlone(words));
    await program.parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { text, exitCode } = describeFailure(error);
    note(text);
    return exitCode;
  }
}

const VERSION_OPTIONS: readonly string[] = ['-V', '--version'];

/** What a command line begins with; null when it also needs the other commands, as help and completion do. */
function firstAlone([first]: readonly string[]): string | null {
  const needsNoOther = COMMANDS.some(({ names }) => names.some((name) => name === first)) && first !== 'completion';
  return first !== undefined && (needsNoOther || VERSION_OPTIONS.includes(first)) ? first : null;
}

/**
 * The program, ready to parse a command line.
 *
 * @param only the one command to load, so that it starts sooner and a server is smaller; every command by default, none for
 *   another word
 */
export async function createProgram(only: string | null = null): Promise<Command> {
  const program = new Command('refbridge')
    .description(packageJson.description)
    .version(packageJson.version)
    .addHelpText('after', HELP)
    .configureOutput({
      writeOut: (text) => void process.stdout.write(asCalled(text)),
      writeErr: (text) => note(asCalled(text).trimEnd()),
    })
    .exitOverride()
    .showHelpAfterError('Add --help for usage.')
    // `refbridge --url <server> links create --url <destination>`
    .enablePositionalOptions();
  addConnectionOptions(program).hook('preAction', (_, command) => refuseServer(command));
  const commands = COMMANDS.filter(({ names }) => only === null || names.includes(only));
  for (const add of await Promise.all(commands.map(({ load }) => load()))) add(program);
  addExamples(program);
  for (const command of program.commands) addRefusedOptions(command);
  return program;
}
