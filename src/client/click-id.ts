/** The cookie, and the parameter of the URL, that a click's id travels in (specification 1). */
export const CLICK_NAME = 'svc_id';

/** A request of the fetch standard, of Node and of Express; or its headers alone, as Next.js gives them. */
export interface RequestLike {
  headers: { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>;
  /** Absolute, or the path with its query. */
  url?: string | undefined;
}

/**
 * The click that brought the visitor of this request: from the cookie `svc_id`, else from the parameter of the URL
 * (the first page of a visit, whose cookie is only being set).
 *
 * @returns null for a visitor who came by no link; never throws
 */
export function clickIdFromRequest(request: RequestLike): string | null {
  try {
    return clickIdInCookie(request) ?? clickIdInUrl(request.url, CLICK_NAME);
  } catch {
    return null;
  }
}

/** The first cookie `svc_id` that holds what looks like a click's id. */
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

/** One header, its name in lower case. */
export function headerOf({ headers }: RequestLike, name: string): string | null {
  const value = isGettable(headers) ? headers.get(name) : headers[name];
  return (Array.isArray(value) ? value.join('; ') : value) ?? null;
}

function isGettable(headers: RequestLike['headers']): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

/** Ours begin with `clk_`; the rest is left open, because this code may be older than the server it talks to. */
function isClickId(text: string): boolean {
  return /^clk_[0-9A-Za-z]{1,60}$/.test(text);
}
