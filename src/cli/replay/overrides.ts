import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** One member of a payload that is to have another value. */
export interface Override {
  /** `data.object.amount`; lists by index. */
  path: readonly string[];
  /** JSON, or else text; may hold placeholders. */
  value: string;
}

/** What `{n}`, `{round}` and `{run}` in a value stand for. */
export interface Placeholders {
  /** The number of the delivery in the run, from 1 on. */
  n: number;
  /** The number of the repeat, from 1 on. */
  round: number;
  /** Letters that no other run has. */
  run: string;
}

type Container = Record<string, unknown>;

/** The type library does not know it yet: a number that is written with exactly this text. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

/** `path=value`; null for text that is not. */
export function parseOverride(text: string): Override | null {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  return path === undefined || value === undefined ? null : { path: path.split('.'), value };
}

/**
 * The payload with other values; everything else, numbers of any size included, stays as it was written. The last part
 * of a path may be new, those before it must be there.
 *
 * @throws CommandError when the payload is no JSON, or has no such member
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
    throw new CommandError(EXIT.usage, `${file} holds no JSON object: nothing can be overridden.`);
  for (const { path, value } of overrides) {
    if (!assign(payload, path, readValue(value, placeholders))) {
      throw new CommandError(
        EXIT.usage,
        `${file} has nothing at ${path.slice(0, -1).join('.')} that ${path.at(-1)} could be put into.`,
      );
    }
  }
  return Buffer.from(JSON.stringify(payload));
}

function assign(payload: Container, path: readonly string[], value: unknown): boolean {
  let container = payload;
  for (const name of path.slice(0, -1)) {
    // an empty place may be filled: processors send null for metadata that nobody set
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

/** Numbers become what writes them again as they were; undefined for text that is no JSON. */
function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
    );
  } catch {
    return undefined;
  }
}

/** An object or list; the frozen ones are numbers. */
function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null && !Object.isFrozen(value);
}
