import type { SentEventType } from '../core/event.ts';
import { isoTime } from '../core/time.ts';

/** Standard Webhooks recommends less than 20 KB; receivers and proxies may refuse more. */
const BODY_BYTES_MAX = 20_000;

/**
 * The body of an event. If the resource is too large, its metadata is removed first, then its longest lists are emptied
 * until it fits. The API still returns all of it.
 *
 * @throws Error when the resource is too large even so
 */
export function bodyOf(type: SentEventType, occurredAt: number, data: object): string {
  const timestamp = isoTime(occurredAt);
  let shown: object = data;
  for (;;) {
    const body = JSON.stringify({ type, timestamp, data: shown });
    if (Buffer.byteLength(body) < BODY_BYTES_MAX) return body;
    const smaller = withoutLargest(shown);
    if (smaller === null) throw new Error(`An event of type ${type} is too large to be sent`);
    shown = smaller;
  }
}

function withoutLargest(data: object): object | null {
  if ('metadata' in data && data.metadata !== null) return { ...data, metadata: null };
  const [largest] = listsIn(data, []).toSorted((a, b) => b.bytes - a.bytes);
  return largest === undefined ? null : withEmptied(data, largest.path);
}

interface FoundList {
  path: readonly string[];
  bytes: number;
}

/** The lists that are members of the object or of objects nested in it. */
function listsIn(value: object, path: readonly string[]): FoundList[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const here = [...path, name];
    if (Array.isArray(member)) return member.length === 0 ? [] : [{ path: here, bytes: JSON.stringify(member).length }];
    return typeof member === 'object' && member !== null ? listsIn(member, here) : [];
  });
}

function withEmptied(value: object, [name = '', ...rest]: readonly string[]): object {
  const members = new Map<string, unknown>(Object.entries(value));
  members.set(name, rest.length === 0 ? [] : withEmptied(members.get(name) as object, rest));
  return Object.fromEntries(members);
}
