/** A payload with one changed member, and its path. */
export interface Mutation {
  what: string;
  payload: unknown;
}

const REPLACEMENTS: readonly [word: string, make: (value: unknown) => unknown][] = [
  ['null', () => null],
  ['retyped', (value) => (typeof value === 'string' ? 4711 : String(value))],
  ['an array', (value) => [value]],
  ['an object', (value) => ({ value })],
  ['empty text', () => ''],
  ['negative', () => -1],
  ['huge', () => 2 ** 53 + 2],
  ['a fraction', () => 0.5],
];

/** Copies of the payload, one for each member and each way of corrupting it. */
export function* mutationsOf(payload: unknown): Generator<Mutation> {
  for (const path of pathsOf(payload, [])) {
    yield { what: `${path.join('.')} dropped`, payload: changed(payload, path, 'drop') };
    for (const [word, make] of REPLACEMENTS) {
      yield { what: `${path.join('.')} ${word}`, payload: changed(payload, path, make) };
    }
  }
}

function* pathsOf(node: unknown, path: string[]): Generator<string[]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    yield [...path, key];
    yield* pathsOf(child, [...path, key]);
  }
}

/** Copies only the objects on the path. */
function changed(node: unknown, path: string[], change: 'drop' | ((value: unknown) => unknown)): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change === 'drop' ? undefined : change(node);
  const copy = (Array.isArray(node) ? [...node] : { ...(node as object) }) as Record<string, unknown>;
  if (rest.length === 0 && change === 'drop') delete copy[key];
  else copy[key] = changed(copy[key], rest, change);
  return copy;
}

/** The body with its event type replaced everywhere. */
export function withType(rawBody: Buffer, before: string, after: string): Buffer {
  const replaced = JSON.parse(rawBody.toString('utf8'), (_key, value: unknown) => (value === before ? after : value));
  return Buffer.from(JSON.stringify(replaced));
}
