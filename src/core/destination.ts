/** The parameter that brings a click's id to the destination. */
const CLICK_PARAMETER = 'svc_id';
/** Longer queries of visitors are not passed on: servers refuse long addresses, and the visitor is to arrive. */
const PASSED_CHARACTERS_MAX = 4_096;

/** What a visitor brings to a link's destination. */
export interface Passage {
  /** The raw query of the visitor's own address, without its question mark. */
  query: string;
  /** Null where no click was recorded. */
  clickId: string | null;
}

/**
 * Where a visitor is sent: the link's destination, whose own address stays byte for byte, with the visitor's other
 * parameters and at last `svc_id`. Always printable ASCII, and always on the destination's own host, because nothing
 * of the visitor comes before its question mark.
 *
 * A parameter that the destination has already wins over the visitor's of that name. `svc_id` is nobody's but ours: the
 * visitor's is not passed on, and one that was stored with the destination gives way.
 *
 * @param url absolute, `http` or `https`, as it was stored
 */
export function destinationFor(url: string, { query, clickId }: Passage): string {
  const stored = isPlain(url) ? url : new URL(url).href;
  const [address, fragment] = splitAt(stored, '#');
  const [base, ownQuery] = splitAt(address, '?');
  const own = withoutClick(ownQuery);
  const passed = joined(own, passedOn(query, own));
  const pairs = clickId === null ? passed : joined(passed, `${CLICK_PARAMETER}=${clickId}`);
  return base + (pairs === '' ? '' : `?${pairs}`) + fragment;
}

/** What `URL` would take as it stands; anything else (`https:x`, `ä`) is written the way browsers write it. */
function isPlain(url: string): boolean {
  return /^https?:\/\/[!-[\]-~]+$/.test(url);
}

/** The separator goes with the second part of a fragment, and is dropped from a query. */
function splitAt(text: string, separator: '#' | '?'): [string, string] {
  const index = text.indexOf(separator);
  if (index < 0) return [text, ''];
  return [text.slice(0, index), text.slice(separator === '#' ? index : index + 1)];
}

function joined(query: string, more: string): string {
  return query === '' || more === '' ? query + more : `${query}&${more}`;
}

function withoutClick(query: string): string {
  return mayName(query, CLICK_PARAMETER) ? keepPairs(query, (name) => name !== CLICK_PARAMETER) : query;
}

function passedOn(query: string, own: string): string {
  if (query === '' || query.length > PASSED_CHARACTERS_MAX) return '';
  if (own === '') return inAscii(withoutClick(query));
  const taken = new Set(own.split('&').map(nameOf)).add(CLICK_PARAMETER);
  return inAscii(keepPairs(query, (name) => !taken.has(name)));
}

/** False where no pair can have this name: also an encoded one has a percent sign. */
function mayName(query: string, name: string): boolean {
  return query.includes(name) || query.includes('%');
}

function keepPairs(query: string, isKept: (name: string) => boolean): string {
  return query
    .split('&')
    .filter((pair) => isKept(nameOf(pair)))
    .join('&');
}

/** As the destination will read it: `svc%5Fid` is `svc_id`. What cannot be decoded is its own name. */
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

/** HTTP headers arrive as one character per byte; what no address may hold is written as its byte. */
function inAscii(query: string): string {
  return query.replace(/[^!-~]|#/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
