/** Far more than any processor sends, with the exceptions that its adapter shortens: an order has at most 500 lines. */
export const ENTRIES_MAX = 1_000;

/**
 * The length of `[0,0,…]` with that many entries. A shorter body cannot contain such a list, and most bodies are
 * shorter.
 */
const BYTES_MIN = 2 * ENTRIES_MAX;

/**
 * The path and length of a list that is too long to read; null when there is none. A limit is needed because readers
 * visit the whole list, and 2 MiB hold 20,000 discount codes.
 *
 * @param byteCount the length of the body that the payload was parsed from
 */
export function findLongList(payload: unknown, byteCount: number): string | null {
  // most payloads need no path, and the walk takes a third of the time without it
  return byteCount >= BYTES_MIN && hasLongList(payload) ? pathOfLongList(payload) : null;
}

function hasLongList(payload: unknown): boolean {
  const pending: unknown[] = [payload];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if (Array.isArray(node) && node.length > ENTRIES_MAX) return true;
    for (const name in node) {
      const child: unknown = (node as Record<string, unknown>)[name];
      if (typeof child === 'object' && child !== null) pending.push(child);
    }
  }
  return false;
}

function pathOfLongList(payload: unknown): string | null {
  const pending: { path: string; node: unknown }[] = [{ path: '', node: payload }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, node } = next;
    if (Array.isArray(node) && node.length > ENTRIES_MAX) {
      return `${path}: has ${node.length} entries, and ${ENTRIES_MAX} are read`;
    }
    if (typeof node !== 'object' || node === null) continue;
    for (const [name, child] of Object.entries(node)) {
      if (typeof child === 'object' && child !== null) {
        pending.push({ path: path === '' ? name : `${path}.${name}`, node: child });
      }
    }
  }
  return null;
}
