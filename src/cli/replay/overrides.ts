import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { rawJSON } from './raw-json.ts';

/** A new value for one member of a payload. */
export interface Override {
  /** `data.object.amount`; lists by index. */
  path: readonly string[];
  /** JSON, or else text; may contain placeholders. */
  value: string;
}

/** The values of `{n}`, `{round}` and `{run}`. */
export interface Placeholders {
  /** The number of the delivery in the run, starting at 1. */
  n: number;
  /** The number of the repeat, starting at 1. */
  round: number;
  /** Unique to the run. */
  run: string;
}

type Container = Record<string, unknown>;

/** Parses `path=value`; null for anything else. */
export function parseOverride(text: string): Override | null {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  return path === undefined || value === undefined ? null : { path: path.split('.'), value };
}

/**
 * The payload with overridden values. Everything else, including numbers of any size, stays as written. The last part of a
 * path may be new; the parts before it must exist.
 *
 * @throws CommandError if the payload is not a JSON object, or a part of the path does not exist
 */
export function applyOverrides(
  rawBody: Buffer,
  overrides: readonly Override[],
  placeholders: Placeholders,
  file: string,
): Buffer {
  if (overrides.length === 0) return rawBody;
  const payload = parseExactly(rawBody.toString('utf8'));
  if (!isContainer(payload))
    throw new CommandError(EXIT.usage, `${file} is not a JSON object, so nothing can be overridden.`);
  for (const { path, value } of overrides) {
    if (!assign(payload, path, readValue(value, placeholders))) {
      throw new CommandError(
        EXIT.usage,
        `${file} has no object or list at ${path.slice(0, -1).join('.')} to set ${path.at(-1)} in.`,
      );
    }
  }
  return Buffer.from(JSON.stringify(payload));
}

function assign(payload: Container, path: readonly string[], value: unknown): boolean {
  let container = payload;
  for (const name of path.slice(0, -1)) {
    // Processors send null for metadata that nobody has set.
    if (container[name] === null) container[name] = {};
    const next: unknown = Object.hasOwn(container, name) ? container[name] : undefined;
    if (!isContainer(next)) return false;
    container = next;
  }
  container[path.at(-1) ?? ''] = value;
  return true;
}

function readValue(text: string, { n, round, run }: Placeholders): unknown {
  const filled = text.replaceAll('{n}', String(n)).replaceAll('{round}', String(round)).replaceAll('{run}', run);
  const value = parseExactly(filled);
  return value === undefined ? filled : value;
}

/** Parses JSON so that numbers are serialized exactly as written; undefined for invalid JSON. */
function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
    );
  } catch {
    return undefined;
  }
}

/** True for objects and lists; frozen objects are numbers from `rawJSON`. */
function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null && !Object.isFrozen(value);
}
