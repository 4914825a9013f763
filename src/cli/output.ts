/** Data: the only thing that goes to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Data for programs: one JSON value, one line. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** What a person wants to know beside the data: progress, hints, problems. Goes to stderr. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
