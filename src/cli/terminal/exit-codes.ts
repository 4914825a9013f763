/** How a command ends; scripts and CI rely on these. */
export const EXIT = {
  done: 0,
  /** Something is not as expected: an assertion, a thing that is not there, a check of `doctor`. */
  unexpected: 1,
  usage: 2,
  /** Nothing listens: the server, or the database behind it. */
  unreachable: 3,
  /** A secret is missing, or the configuration is wrong. */
  configuration: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An end that was foreseen; its message tells what to do next. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
