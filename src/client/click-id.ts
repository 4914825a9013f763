/** The cookie, and the URL parameter, that carry the click id. */
export const CLICK_NAME = 'svc_id';

/** A fetch `Request`, a Node or Express request; or only its headers, as in Next.js. */
export interface RequestLike {
  headers: { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>;
  /** An absolute URL, or the path with its query. */
  url?: string | undefined;
}

/**
 * The click that brought the visitor of this request: from the cookie `svc_id`, otherwise from the URL parameter (on the
 * first page of a visit, whose cookie is only being set).
 *
 * @returns null for a visitor who did not come through a link; never throws
 */
export function clickIdFromRequest(request: RequestLike): string | null {
  try {
    return clickIdInCookie(request) ?? clickIdInUrl(request.url, CLICK_NAME);
  } catch {
    return null;
  }
}

/** The first cookie `svc_id` with a well-formed click id. */
export function clickIdInCookie(request: RequestLike): string | null {
  const pairs = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  const values = pairs
    .filter((pair) => pair.startsWith(`${CLICK_NAME}=`))
    .map((pair) => pair.slice(CLICK_NAME.length + 1));
  return values.find(isClickId) ?? null;
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
