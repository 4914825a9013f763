import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { asCalled } from '../app/invocation.ts';
import { addAccountsCommand } from './commands/accounts.ts';
import { addBackupCommand } from './commands/backup.ts';
import { addDeliveriesCommand } from './commands/deliveries.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEndpointsCommand } from './commands/endpoints.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addLedgerCommand } from './commands/ledger.ts';
import { addLinksCommand } from './commands/links.ts';
import { addLoginLinkCommand } from './commands/login-link.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addOperatorsCommand } from './commands/operators.ts';
import { addParkedCommand } from './commands/parked.ts';
import { addPartnersCommand } from './commands/partners.ts';
import { addPayoutsCommand } from './commands/payouts.ts';
import { addProgramsCommand } from './commands/programs.ts';
import { addReplayCommand } from './commands/replay.ts';
import { addSalesCommand } from './commands/sales.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSetupCommand } from './commands/setup.ts';
import { addTriggerCommand } from './commands/trigger.ts';
import { EXIT, type ExitCode } from './terminal/exit-codes.ts';
import { describeFailure } from './terminal/failure.ts';
import { note } from './terminal/output.ts';

const HELP = `
First steps:
  $ refbridge demo                          show the product on a temporary database
  $ refbridge serve                         start the server; then, in another terminal:
  $ refbridge setup                         create an account, its API key and an address that signs you in
  $ refbridge endpoints create --help       connect a payment processor

Environment (all optional, also read from .env; see .env.example):
  DATABASE_URL   file:./data/refbridge.db or postgres://user:password@host/database
  BASE_URL       the public address of the server
  REFBRIDGE_ACCOUNT  the account of commands, if there are several
  SECRET_KEY     encrypts stored webhook secrets (default: the file secret.key beside the database)

Data goes to stdout, logs and hints to stderr. Commands work beside a running server.
Exit codes: 0 done, 1 unexpected result, 2 usage, 3 server or database unreachable, 4 missing secret or configuration,
130 interrupted by Ctrl-C.`;

/**
 * Runs one command.
 *
 * @param words of the command line, without the paths of Node and the script
 * @returns the exit code; a command may set a different one in `process.exitCode`
 */
export async function runProgram(words: readonly string[]): Promise<ExitCode> {
  try {
    await createProgram().parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { text, exitCode } = describeFailure(error);
    note(text);
    return exitCode;
  }
}

/** The program with every command, ready to parse a command line. */
export function createProgram(): Command {
  const program = new Command('refbridge')
    .description(packageJson.description)
    .version(packageJson.version)
    .addHelpText('after', HELP)
    .configureOutput({
      writeOut: (text) => void process.stdout.write(asCalled(text)),
      writeErr: (text) => note(asCalled(text).trimEnd()),
    })
    .exitOverride()
    .showHelpAfterError('Add --help for usage.');
  addServeCommand(program);
  addSetupCommand(program);
  addDemoCommand(program);
  addDoctorCommand(program);
  addBackupCommand(program);
  addMigrateCommand(program);
  addAccountsCommand(program);
  addKeysCommand(program);
  addLoginLinkCommand(program);
  addOperatorsCommand(program);
  addProgramsCommand(program);
  addPartnersCommand(program);
  addLinksCommand(program);
  addEndpointsCommand(program);
  addSalesCommand(program);
  addDeliveriesCommand(program);
  addParkedCommand(program);
  addLedgerCommand(program);
  addPayoutsCommand(program);
  addReplayCommand(program);
  addTriggerCommand(program);
  addExplainCommand(program);
  return program;
}
