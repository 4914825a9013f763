import { CLICK_NAME, clickIdInCookie, clickIdInUrl, headerOf, type RequestLike } from '../client/click-id.ts';

/** Give the same values to the tag of `/script.js`: both write the same cookie. */
export interface ClickCookieOptions {
  /** Cookie domain, for a site of several hosts: `example.com`. Without it the cookie is this host's alone. */
  domain?: string;
  /** The parameter that the click's id arrives in; `svc_id` by default. */
  parameter?: string;
  /** 90 by default. */
  cookieDays?: number;
  /** Whether a later click takes the place of an earlier one; `last-click` by default. */
  model?: 'last-click' | 'first-click';
  /** By default what the request says: its URL, its socket, or `X-Forwarded-Proto`. */
  secure?: boolean;
}

const DAYS_DEFAULT = 90;
const SECONDS_PER_DAY = 86_400;

/**
 * The `Set-Cookie` header for a visit by a partner link. The page's own scripts may read the cookie: `/script.js` would
 * otherwise not know of it.
 *
 * @returns null for a request that brings no click, and with `first-click` for a visitor who has one; never throws
 */
export function clickCookie(request: RequestLike, options: ClickCookieOptions = {}): string | null {
  try {
    const clickId = clickIdInUrl(request.url, options.parameter ?? CLICK_NAME);
    if (clickId === null) return null;
    if (options.model === 'first-click' && clickIdInCookie(request) !== null) return null;
    const maxAgeSeconds = Math.round((options.cookieDays ?? DAYS_DEFAULT) * SECONDS_PER_DAY);
    const parts = [`${CLICK_NAME}=${clickId}`, `Max-Age=${maxAgeSeconds}`, 'Path=/', 'SameSite=Lax'];
    if (options.domain) parts.push(`Domain=${options.domain}`);
    if (options.secure ?? isHttps(request)) parts.push('Secure');
    return parts.join('; ');
  } catch {
    return null;
  }
}

function isHttps(request: RequestLike): boolean {
  return request.url?.startsWith('https:') === true || /^https\b/i.test(headerOf(request, 'x-forwarded-proto') ?? '');
}
