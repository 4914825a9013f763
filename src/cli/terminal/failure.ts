import { asCalled, commandLine } from '../../app/invocation.ts';
import { SchemaMismatch, ServiceError } from '../../errors.ts';
import { ConfigError } from '../../process/config-error.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';

/** The message and exit code for an error. A bug includes its stack. */
export function describeFailure(error: unknown): { text: string; exitCode: ExitCode } {
  if (error instanceof CommandError) return { text: asCalled(error.message), exitCode: error.exitCode };
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ name, message }) => `  ${name} ${message}`).join('\n');
    return {
      text: `The configuration is invalid:\n${problems}\nSee .env.example.`,
      exitCode: EXIT.configuration,
    };
  }
  if (error instanceof SchemaMismatch) return { text: schemaAdvice(error), exitCode: EXIT.configuration };
  if (error instanceof ServiceError) return { text: error.message, exitCode: exitCodeOf(error) };
  if (error instanceof Error && error.constructor === Error) return { text: error.message, exitCode: EXIT.unexpected };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text: `This is a bug; please report it:\n${text}`, exitCode: EXIT.unexpected };
}

function schemaAdvice({ message, databaseVersion, programVersion }: SchemaMismatch): string {
  if (databaseVersion > programVersion) return `${message}.`;
  if (databaseVersion === 0) return `The database is empty: run \`${commandLine('setup')}\` first.`;
  return (
    `${message}, and nothing was changed: a server running the earlier version may be using it.\n` +
    `Stop that server and run \`${commandLine('migrate --backup <file>')}\`, which makes a backup first. ` +
    `On PostgreSQL, run pg_dump and then \`${commandLine('migrate')}\`.`
  );
}

function exitCodeOf(error: ServiceError): ExitCode {
  switch (error.code) {
    case 'VALIDATION_ERROR':
      return EXIT.usage;
    case 'UNAVAILABLE':
    case 'OUTCOME_UNKNOWN':
      return EXIT.unreachable;
    default:
      return EXIT.unexpected;
  }
}
