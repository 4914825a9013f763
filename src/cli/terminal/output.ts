import { formatRecord } from './table.ts';

/** Data: the only thing that goes to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Data that has its own line ends. */
export function printText(text: string): void {
  process.stdout.write(text);
}

/** Data for programs: one JSON value, one line. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** One resource, for a program or for a person. */
export function printResource(resource: object, json: true | undefined): void {
  if (json) printJson(resource);
  else print(formatRecord(resource));
}

/** What a person wants to know beside the data: progress, hints, problems. Goes to stderr. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
