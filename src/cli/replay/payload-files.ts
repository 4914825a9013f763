import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Adapter } from '../../../adapters/contract/adapter.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** A payload as a processor would send it. */
export interface Payload {
  file: string;
  /** From the file name, for processors that send it in a header; when undefined, the adapter guesses it. */
  eventType: string | undefined;
  rawBody: Buffer;
}

const EXPECTED = '.expected.json';

/**
 * Reads files, and all `*.json` except `*.expected.json` in folders, recursively and sorted.
 *
 * @throws CommandError if a path does not exist or no file is found
 */
export function readPayloads(
  paths: readonly string[],
  adapter: Pick<Adapter, 'eventTypeOf'>,
  eventType?: string,
): Payload[] {
  const files = paths.flatMap(filesOf);
  if (files.length === 0) {
    throw new CommandError(
      EXIT.usage,
      `There are no *.json files in ${paths.join(', ')}: name payload files or their folder.`,
    );
  }
  return files.map((file) => ({
    file,
    eventType: eventType ?? adapter.eventTypeOf(nameOf(file)) ?? undefined,
    rawBody: readFileSync(file),
  }));
}

function filesOf(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandError(EXIT.usage, `There is no file or folder ${path}.`);
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.endsWith(EXPECTED))
    .sort()
    .map((name) => join(path, name));
}

/** The event in a payload's file name: `orders_paid` for `orders_paid--renewal.json`. */
function nameOf(file: string): string {
  const [event = ''] = basename(file, '.json').split('--');
  return event;
}
