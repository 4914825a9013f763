export interface ConfigProblem {
  /** The variable or the file. */
  name: string;
  /** What is wrong and what to do about it; never the value of a secret. */
  message: string;
}

/** All problems of the configuration at once. */
export class ConfigError extends Error {
  readonly problems: ConfigProblem[];

  constructor(problems: ConfigProblem[]) {
    super(problems.map(({ name, message }) => `${name} ${message}`).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
