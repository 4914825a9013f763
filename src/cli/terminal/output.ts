import { once } from 'node:events';
import { asCalled } from '../../app/invocation.ts';
import { withEscapedControls, withoutControls } from './cell.ts';
import { clearProgress } from './progress.ts';
import { formatRecord } from './table.ts';

/** Prints data, the only thing that goes to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints stored text with its line breaks. Control characters are replaced, as in tables. */
export function printStored(text: string): void {
  print(withoutControls(text));
}

/** Prints the text of a file, which has its own line breaks. */
export function printText(text: string): void {
  process.stdout.write(process.stdout.isTTY ? forTerminal(text) : text);
}

/** A file that is only looked at, whose stored text must not control the terminal either. */
function forTerminal(text: string): string {
  // a chunk may end within the end of a line
  return withoutControls(text.replace(/\r(?=\n|$)/g, ''));
}

/**
 * Prints data of any size in little memory: requests the next chunk when the reader has taken the previous one. It ends
 * when the reader, such as `head`, goes away.
 */
export async function printChunks(chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const asText = (chunk: string | Uint8Array) =>
    typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  try {
    // `pipeline` would leave a listener on stdout each time
    for await (const chunk of chunks) {
      const printed = process.stdout.isTTY ? forTerminal(asText(chunk)) : chunk;
      if (!process.stdout.write(printed)) await once(process.stdout, 'drain');
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}

/** Prints data for programs: one JSON value on one line. */
export function printJson(value: unknown): void {
  print(withEscapedControls(JSON.stringify(value)));
}

/** Prints one resource as JSON or as a record. */
export function printResource(resource: object, json: true | undefined): void {
  if (json) printJson(resource);
  else print(formatRecord(resource));
}

/** Prints to stderr what to do next; each `refbridge …` in it as the person has to type it. */
export function hint(text: string): void {
  note(asCalled(text));
}

/** Prints progress and problems to stderr. Control characters in stored text are replaced, as in tables. */
export function note(text: string): void {
  clearProgress();
  process.stderr.write(`${withoutControls(text)}\n`);
}
