import { formatRecord } from './table.ts';

/** Prints data, the only thing that goes to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints data that contains its own line breaks. */
export function printText(text: string): void {
  process.stdout.write(text);
}

/** Prints data for programs: one JSON value on one line. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Prints one resource as JSON or as a record. */
export function printResource(resource: object, json: true | undefined): void {
  if (json) printJson(resource);
  else print(formatRecord(resource));
}

/** Prints progress, hints and problems to stderr. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
