/** The cookie, and the URL parameter, that carry the click id. */
export const CLICK_NAME = 'svc_id';

/** A fetch `Request`, a Node or Express request; or only its headers, as in Next.js. */
export interface RequestLike {
  headers: { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>;
  /** An absolute URL, or the path with its query. */
  url?: string | undefined;
}

/** Further cookies that hold the click id, as `data-cookie-aliases` of `/script.js` names them. */
export interface CookieNames {
  cookieAliases?: readonly string[] | undefined;
}

/**
 * The click that brought the visitor of this request: from the cookie `svc_id`, then from its aliases, otherwise from the URL
 * parameter (on the first page of a visit, before the cookie is set).
 *
 * @returns null for a visitor who did not come through a link; never throws
 */
export function clickIdFromRequest(request: RequestLike, names: CookieNames = {}): string | null {
  try {
    return clickIdInCookies(request, cookieNames(names)) ?? clickIdInUrl(request.url, CLICK_NAME);
  } catch {
    return null;
  }
}

/** `svc_id` and its aliases; a name that no cookie can have is left out. */
export function cookieNames({ cookieAliases = [] }: CookieNames): string[] {
  return [...new Set([CLICK_NAME, ...cookieAliases.filter((name) => /^[\w.-]+$/.test(name))])];
}

/** The well-formed click id in the first of these cookies that has one. */
export function clickIdInCookies(request: RequestLike, names: readonly string[]): string | null {
  const pairs = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  for (const name of names) {
    const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
    const found = values.find(isClickId);
    if (found !== undefined) return found;
  }
  return null;
}

export function clickIdInUrl(url: string | undefined, parameter: string): string | null {
  const query = url?.split('#', 1)[0]?.split('?').slice(1).join('?');
  const value = new URLSearchParams(query).get(parameter);
  return value !== null && isClickId(value) ? value : null;
}

/** One header, by its lower-case name. */
export function headerOf({ headers }: RequestLike, name: string): string | null {
  const value = isGettable(headers) ? headers.get(name) : headers[name];
  return (Array.isArray(value) ? value.join('; ') : value) ?? null;
}

function isGettable(headers: RequestLike['headers']): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

/** Checks only the prefix and the characters, because the server may be newer than this code. */
function isClickId(text: string): boolean {
  return /^clk_[0-9A-Za-z]{1,60}$/.test(text);
}
