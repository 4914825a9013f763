/** Far more than any processor sends: an order has at most 500 lines. */
const ENTRIES_MAX = 1_000;

/** `[0,` and so on: a shorter body has no such list, and most have not. */
const BYTES_MIN = 2 * ENTRIES_MAX;

/**
 * The path of a list that is too long to be read, with its length; null when there is none. Whatever reads a list works
 * through all of it, and 2 MiB hold 20,000 discount codes.
 *
 * @param byteCount the length of the body that the payload was parsed from
 */
export function findLongList(payload: unknown, byteCount: number): string | null {
  // without paths, which are rarely needed, the walk takes a third of the time
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
