import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Processor } from '../core/processor.ts';
import { CommandError, EXIT } from './terminal/exit-codes.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const EXPECTED = '.expected.json';

/**
 * The path of an example: `fixtures/<processor>/<event>[--variant].json`.
 *
 * Without a variant, the only variant of the event is used.
 *
 * @param event as the processor spells it; Shopify's slash is an underscore in file names
 * @throws CommandError that lists the available examples
 */
export function findFixture(processor: Processor, event: string, variant?: string): string {
  const name = event.replaceAll('/', '_') + (variant === undefined ? '' : `--${variant}`);
  const names = fixtureNames(processor);
  if (names.includes(name)) return join(FOLDER, processor, `${name}.json`);
  const sameEvent = names.filter((known) => known.split('--')[0] === name.split('--')[0]);
  const [only] = sameEvent;
  if (variant === undefined && only !== undefined && sameEvent.length === 1)
    return join(FOLDER, processor, `${only}.json`);
  const shown = (sameEvent.length > 0 ? sameEvent : names).map((known) => `  ${asArguments(known)}`).join('\n');
  const problem =
    variant === undefined && sameEvent.length > 0
      ? `${processor} has several examples of ${event}. Choose one:`
      : `${processor} has no example ${asArguments(name)}. Available:`;
  throw new CommandError(EXIT.usage, `${problem}\n${shown}`);
}

function fixtureNames(processor: Processor): string[] {
  const folder = join(FOLDER, processor);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !file.endsWith(EXPECTED))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

function asArguments(name: string): string {
  const [event = name, variant] = name.split('--');
  return variant === undefined ? event : `${event} --variant ${variant}`;
}
