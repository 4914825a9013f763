/** The query parameter that carries the click id to the destination. */
const CLICK_PARAMETER = 'svc_id';
/** A visitor's longer query is dropped: servers refuse long URLs, and the visitor must arrive. */
const VISITOR_QUERY_CHARACTERS_MAX = 4_096;

/** What a visit adds to the link's destination. */
export interface VisitParameters {
  /** The raw query of the URL that the visitor requested, without the question mark. */
  query: string;
  /** Null when no click was recorded. */
  clickId: string | null;
}

/**
 * Where to redirect a visitor: the link's destination, byte for byte, then the visitor's parameters, then `svc_id`.
 * Always printable ASCII, and always on the destination's own host, because everything from the visitor follows the
 * question mark.
 *
 * The destination's own parameters win over the visitor's of the same name. `svc_id` is reserved: it is removed from the
 * visitor's query and from the stored destination.
 *
 * @param url absolute, `http` or `https`, as it was stored
 */
export function destinationFor(url: string, { query, clickId }: VisitParameters): string {
  const stored = isPlain(url) ? url : new URL(url).href;
  const [address, fragment] = splitAt(stored, '#');
  const [base, ownQuery] = splitAt(address, '?');
  const own = withoutClickId(ownQuery);
  const merged = joinQueries(own, addedByVisitor(query, own));
  const pairs = clickId === null ? merged : joinQueries(merged, `${CLICK_PARAMETER}=${clickId}`);
  return base + (pairs === '' ? '' : `?${pairs}`) + fragment;
}

/** True when the URL can stay as it is stored; any other (`https:x`, `ä`) is normalized as browsers do. */
function isPlain(url: string): boolean {
  return /^https?:\/\/[!-[\]-~]+$/.test(url);
}

/** The second part of a fragment keeps its separator; that of a query does not. */
function splitAt(text: string, separator: '#' | '?'): [string, string] {
  const index = text.indexOf(separator);
  if (index < 0) return [text, ''];
  return [text.slice(0, index), text.slice(separator === '#' ? index : index + 1)];
}

function joinQueries(query: string, more: string): string {
  return query === '' || more === '' ? query + more : `${query}&${more}`;
}

function withoutClickId(query: string): string {
  return mayName(query, CLICK_PARAMETER) ? keepPairs(query, (name) => name !== CLICK_PARAMETER) : query;
}

function addedByVisitor(query: string, own: string): string {
  if (query === '' || query.length > VISITOR_QUERY_CHARACTERS_MAX) return '';
  if (own === '') return escapeToAscii(withoutClickId(query));
  const taken = new Set(own.split('&').map(nameOf)).add(CLICK_PARAMETER);
  return escapeToAscii(keepPairs(query, (name) => !taken.has(name)));
}

/** False when no pair can have this name, encoded or not: an encoded name contains a percent sign. */
function mayName(query: string, name: string): boolean {
  return query.includes(name) || query.includes('%');
}

function keepPairs(query: string, isKept: (name: string) => boolean): string {
  return query
    .split('&')
    .filter((pair) => isKept(nameOf(pair)))
    .join('&');
}

/** The name as the destination will decode it: `svc%5Fid` is `svc_id`. Returned as is when it cannot be decoded. */
function nameOf(pair: string): string {
  const end = pair.indexOf('=');
  const name = end < 0 ? pair : pair.slice(0, end);
  if (!/[%+]/.test(name)) return name;
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** HTTP headers arrive as one character per byte; escapes every byte that a URL must not contain. */
function escapeToAscii(query: string): string {
  return query.replace(/[^!-~]|#/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
