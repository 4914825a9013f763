import { validationError } from '../errors.ts';

/** An object or array between the root and the current value, and which of its children is next. */
interface Level {
  node: Readonly<Record<string | number, unknown>>;
  /** Null for an array, whose members would only need names for an error. */
  names: readonly string[] | null;
  size: number;
  next: number;
}

/**
 * Checks every text in parsed JSON, including the names of members, without recursion. A body of 2 MiB may hold a
 * million values, so nothing is made for each of them.
 *
 * @throws ServiceError `VALIDATION_ERROR` for the first text that contains NUL
 */
export function requireNoNul(input: unknown): void {
  const levels = [levelOf([input])];
  for (let level = levels[0]; level !== undefined; level = levels.at(-1)) {
    if (level.next === level.size) {
      levels.pop();
      continue;
    }
    const index = level.next;
    level.next += 1;
    const name = level.names?.[index];
    if (name?.includes('\0')) throw containsNul(levels.slice(0, -1));
    const value = level.node[name ?? index];
    if (typeof value === 'string' && value.includes('\0')) throw containsNul(levels);
    if (typeof value === 'object' && value !== null) levels.push(levelOf(value));
  }
}

function levelOf(node: object): Level {
  const names = Array.isArray(node) ? null : Object.keys(node);
  const size = names?.length ?? (node as readonly unknown[]).length;
  return { node: node as Level['node'], names, size, next: 0 };
}

function containsNul([, ...levels]: readonly Level[]) {
  const path = levels.map(({ names, next }) => names?.[next - 1] ?? next - 1).join('.');
  return validationError([{ path, message: 'must not contain NUL' }]);
}
