import { CLICK_NAME, clickIdInCookie, clickIdInUrl, headerOf, type RequestLike } from '../client/click-id.ts';

/** Use the same values in the tag of `/script.js`, because both write the same cookie. */
export interface ClickCookieOptions {
  /**
   * Cookie domain, for a site with several hosts: `example.com`. Without it, and on a host outside it such as `localhost`,
   * the cookie is for this host only.
   */
  domain?: string;
  /** The URL parameter with the click id; `svc_id` by default. */
  parameter?: string;
  /** 90 by default. */
  cookieDays?: number;
  /** Whether a later click replaces an earlier one; `last-click` by default. */
  model?: 'last-click' | 'first-click';
  /** By default, detected from the request: its URL, its socket, or `X-Forwarded-Proto`. */
  secure?: boolean;
}

const DAYS_DEFAULT = 90;
const SECONDS_PER_DAY = 86_400;

/**
 * The `Set-Cookie` header for a visit through a partner link. The cookie is not `HttpOnly`, because `/script.js` reads it.
 *
 * @returns null for a request without a click, and with `first-click` for a visitor who already has one; never throws
 */
export function clickCookie(request: RequestLike, options: ClickCookieOptions = {}): string | null {
  try {
    const clickId = clickIdInUrl(request.url, options.parameter ?? CLICK_NAME);
    if (clickId === null) return null;
    if (options.model === 'first-click' && clickIdInCookie(request) !== null) return null;
    const maxAgeSeconds = Math.round((options.cookieDays ?? DAYS_DEFAULT) * SECONDS_PER_DAY);
    const parts = [`${CLICK_NAME}=${clickId}`, `Max-Age=${maxAgeSeconds}`, 'Path=/', 'SameSite=Lax'];
    if (options.domain && isWithin(hostOf(request), options.domain)) parts.push(`Domain=${options.domain}`);
    if (options.secure ?? isHttps(request)) parts.push('Secure');
    return parts.join('; ');
  } catch {
    return null;
  }
}

/** The visitor's host in lower case, without its port; null when the request does not tell. */
function hostOf(request: RequestLike): string | null {
  const [forwarded = ''] = (headerOf(request, 'x-forwarded-host') ?? '').split(',');
  const host = forwarded.trim() || headerOf(request, 'host') || /^https?:\/\/([^/?#]*)/i.exec(request.url ?? '')?.[1];
  return host ? host.trim().toLowerCase().replace(/:\d+$/, '') : null;
}

/** Browsers refuse a cookie for a domain that the host does not belong to. */
function isWithin(host: string | null, domain: string): boolean {
  const name = domain.toLowerCase().replace(/^\./, '');
  return host === null || host === name || host.endsWith(`.${name}`);
}

function isHttps(request: RequestLike): boolean {
  return request.url?.startsWith('https:') === true || /^https\b/i.test(headerOf(request, 'x-forwarded-proto') ?? '');
}
