import type { Command } from 'commander';
import { type Problem, ServiceError, validationError } from '../../errors.ts';
import { optionNames } from './flags.ts';

/**
 * The error of a refused request, as the person who wrote the command line reads it: `debtor.name` is `--debtor-name`
 * there. Members that no option sets keep their name.
 */
export function inOptions(error: unknown, command: Command): unknown {
  if (!(error instanceof ServiceError) || error.details === undefined) return error;
  const { code, message, details } = error;
  const told = validationError(details).message;
  // of another version, whose message is not made of its problems
  if (!message.startsWith(told)) return error;
  const flags = new Set(command.options.filter(({ helpGroupHeading }) => !helpGroupHeading).map(({ long }) => long));
  const renamed = details.map((problem): Problem => ({ ...problem, path: inFlags(problem.path, flags) }));
  const rest = message.slice(told.length);
  return new ServiceError(code, validationError(renamed).message + rest, { details: renamed, cause: error });
}

/** `--debtor-name` is a member of a member; any other option is a member, of which a part may be wrong. */
function inFlags(path: string, flags: ReadonlySet<string | null | undefined>): string {
  const [first = '', ...rest] = path.split('.');
  const whole = `--${path.replaceAll('.', '-')}`;
  if (flags.has(whole)) return whole;
  const flag = optionNames(first).find((name) => flags.has(name));
  return flag === undefined ? path : [flag, ...rest].join('.');
}
