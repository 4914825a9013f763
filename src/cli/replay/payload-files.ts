import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Processor } from '../../core/processor.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** A payload as a processor would send it. */
export interface Payload {
  file: string;
  /** Where the processor names it in a header, and the file's name tells; undefined leaves the guess to the adapter. */
  eventType: string | undefined;
  rawBody: Buffer;
}

const EXPECTED = '.expected.json';

/**
 * The payloads of files and folders, folders with all that is below them, sorted: `*.json`, without what fixtures
 * expect.
 *
 * @throws CommandError when a path is not there, or nothing is found
 */
export function readPayloads(paths: readonly string[], processor: Processor, eventType?: string): Payload[] {
  const files = paths.flatMap(filesOf);
  if (files.length === 0) {
    throw new CommandError(
      EXIT.usage,
      `There is no *.json in ${paths.join(', ')}: name payload files or their folder.`,
    );
  }
  return files.map((file) => ({
    file,
    eventType: eventType ?? (processor === 'shopify' ? topicOf(file) : undefined),
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

/** Shopify's topics have a slash, which a file name cannot: `orders_paid--renewal.json` is of `orders/paid`. */
function topicOf(file: string): string | undefined {
  const [event = ''] = basename(file, '.json').split('--');
  return /^[a-z]+(_[a-z]+)+$/.test(event) ? event.replace(/_([a-z]+)$/, '/$1') : undefined;
}
