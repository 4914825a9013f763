/** Far more than any processor sends: an order has at most 500 lines. */
const ENTRIES_MAX = 1_000;

/**
 * The path of a list that is too long to be read, with its length; null when there is none. Whatever reads a list works
 * through all of it, and 2 MiB hold 20,000 discount codes.
 */
export function findLongList(payload: unknown): string | null {
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
