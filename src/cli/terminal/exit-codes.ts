/** Exit codes of commands; scripts and CI rely on them. */
export const EXIT = {
  done: 0,
  /** An unexpected result: a failed assertion, a missing resource, a failed check of `doctor`. */
  unexpected: 1,
  usage: 2,
  /** The server or the database does not answer. */
  unreachable: 3,
  /** A secret is missing, or the configuration is wrong. */
  configuration: 4,
  /** Ctrl-C; as shells report a process that SIGINT ended. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected failure; its message says what to do next. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
