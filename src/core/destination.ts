import { CLICK_PARAMETERS } from './tracking-parameters.ts';

/** A longer visitor query is dropped, because servers refuse long URLs and the visitor must arrive. */
const VISITOR_QUERY_CHARACTERS_MAX = 4_096;

/** What a visit adds to the link's destination. */
export interface VisitParameters {
  /** The raw query of the URL that the visitor requested, without the question mark. */
  query: string;
  /** Null when no click was recorded. */
  clickId: string | null;
  /** The parameters that carry the click id. Neither the visitor nor the destination may set them. */
  clickParameters?: readonly string[];
}

/**
 * Where to redirect a visitor: the link's destination, byte for byte, then the visitor's parameters, then the click id
 * in each of its parameters. Always printable ASCII, and always on the destination's own host, because everything from
 * the visitor comes after the question mark.
 *
 * The destination's own parameters win over the visitor's parameters of the same name. The click parameters are
 * reserved: they are removed from the visitor's query and from the stored destination.
 *
 * @param url absolute, `http` or `https`, as stored
 */
export function destinationFor(
  url: string,
  { query, clickId, clickParameters = CLICK_PARAMETERS }: VisitParameters,
): string {
  const stored = isPlain(url) ? url : new URL(url).href;
  const [address, fragment] = splitAt(stored, '#');
  const [base, ownQuery] = splitAt(address, '?');
  const own = without(clickParameters, ownQuery);
  const merged = joinQueries(own, addedByVisitor(query, own, clickParameters));
  const clickPairs = clickId === null ? [] : clickParameters.map((name) => `${name}=${clickId}`);
  const pairs = joinQueries(merged, clickPairs.join('&'));
  return base + (pairs === '' ? '' : `?${pairs}`) + fragment;
}

/** True when the URL can stay as stored. Any other URL (`https:x`, or one with `ä`) is normalized as browsers do. */
function isPlain(url: string): boolean {
  return /^https?:\/\/[!-[\]-~]+$/.test(url);
}

/** A fragment keeps its `#`; a query loses its `?`. */
function splitAt(text: string, separator: '#' | '?'): [string, string] {
  const index = text.indexOf(separator);
  if (index < 0) return [text, ''];
  return [text.slice(0, index), text.slice(separator === '#' ? index : index + 1)];
}

function joinQueries(query: string, more: string): string {
  return query === '' || more === '' ? query + more : `${query}&${more}`;
}

function without(names: readonly string[], query: string): string {
  return names.some((name) => mayName(query, name)) ? keepPairs(query, (name) => !names.includes(name)) : query;
}

function addedByVisitor(query: string, own: string, clickParameters: readonly string[]): string {
  if (query === '' || query.length > VISITOR_QUERY_CHARACTERS_MAX) return '';
  if (own === '') return escapeToAscii(without(clickParameters, query));
  const taken = new Set([...own.split('&').map(nameOf), ...clickParameters]);
  return escapeToAscii(keepPairs(query, (name) => !taken.has(name)));
}

/** False when no pair can have this name, either plain or percent-encoded. */
function mayName(query: string, name: string): boolean {
  return query.includes(name) || query.includes('%');
}

function keepPairs(query: string, isKept: (name: string) => boolean): string {
  return query
    .split('&')
    .filter((pair) => isKept(nameOf(pair)))
    .join('&');
}

/**
 * The name as the destination will decode it: `svc%5Fid` becomes `svc_id`. A name that cannot be decoded is returned
 * unchanged.
 */
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
