import {
  CLICK_NAME,
  clickIdInCookies,
  clickIdInUrl,
  cookieNames,
  headerOf,
  type RequestLike,
} from '../client/click-id.ts';
import { cookieDomain } from './cookie-domain.ts';

/** Use the same values in the tag of `/script.js`, because both write the same cookie. */
export interface ClickCookieOptions {
  /**
   * Cookie domain, for a site with several hosts: `example.com`. Without it, and on a host outside it such as
   * `localhost`, the cookie is for this host only.
   */
  domain?: string;
  /** The URL parameter with the click id; `svc_id` by default. */
  parameter?: string;
  /** 90 by default. */
  cookieDays?: number;
  /** Whether a later click replaces an earlier one; `last-click` by default. */
  model?: 'last-click' | 'first-click';
  /**
   * Further cookies with the same id, for code that reads another name: `['refp_id', 'dub_id']`. Each is written with
   * `svc_id`, and read where `svc_id` is missing.
   */
  cookieAliases?: readonly string[];
  /** By default, detected from the request: its URL, its socket, or `X-Forwarded-Proto`. */
  secure?: boolean;
  /** Sets no cookie for visitors whose browser sends Do Not Track or Global Privacy Control; off by default. */
  doNotTrack?: boolean;
  /** Sets the cookie only where this returns true: for visitors who have consented. An exception counts as no. */
  consent?: (request: RequestLike) => boolean;
}

/** What a response with the cookie carries: no cache may store it, or one visitor's click becomes everybody's. */
export const CACHE_CONTROL = 'private, no-store';

const DAYS_DEFAULT = 90;
const SECONDS_PER_DAY = 86_400;

/**
 * The `Set-Cookie` header of `svc_id` for a visit through a partner link. The cookie is not `HttpOnly`, because
 * `/script.js` reads it. Send it with `Cache-Control: private, no-store`, as the other functions of this package do.
 *
 * @returns null for a request without a click, without consent, and with `first-click` for a visitor who already has
 * one; never throws
 */
export function clickCookie(request: RequestLike, options: ClickCookieOptions = {}): string | null {
  const cookies = clickCookies(request, options).filter((cookie) => cookie.startsWith(`${CLICK_NAME}=`));
  return cookies.at(-1) ?? null;
}

/**
 * Like `clickCookie`, with another header for each of `cookieAliases`. A visitor who has the click under some of these
 * names gets it under the others.
 *
 * @returns empty where nothing is to be set; never throws
 */
export function clickCookies(request: RequestLike, options: ClickCookieOptions = {}): string[] {
  try {
    const names = cookieNames(options);
    const visit = clickIdInUrl(request.url, options.parameter ?? CLICK_NAME);
    const stored = clickIdInCookies(request, names);
    const isNew = visit !== null && (options.model !== 'first-click' || stored === null);
    const clickId = isNew ? visit : stored;
    if (clickId === null || !isAllowed(request, options)) return [];
    const lacking = isNew ? names : names.filter((name) => clickIdInCookies(request, [name]) === null);
    const set = lacking.map((name) => [`${name}=${clickId}`, ...attributesOf(request, options)].join('; '));
    // first, because on localhost and for an IP address a cookie of the domain is one of this host alone
    return [...removalsOf(request, options, lacking), ...set];
  } catch {
    return [];
  }
}

/**
 * Removes cookies of this host alone that were set before the option `domain`: browsers would send both, and often the
 * old one first.
 */
function removalsOf(request: RequestLike, options: ClickCookieOptions, names: readonly string[]): string[] {
  if (cookieDomain(request, options.domain) === null) return [];
  const stored = names.filter((name) => clickIdInCookies(request, [name]) !== null);
  return stored.map((name) => `${name}=; Max-Age=0; Path=/`);
}

function attributesOf(request: RequestLike, options: ClickCookieOptions): string[] {
  const maxAgeSeconds = Math.round((options.cookieDays ?? DAYS_DEFAULT) * SECONDS_PER_DAY);
  const domain = cookieDomain(request, options.domain);
  return [
    `Max-Age=${maxAgeSeconds}`,
    'Path=/',
    'SameSite=Lax',
    ...(domain === null ? [] : [`Domain=${domain}`]),
    ...((options.secure ?? isHttps(request)) ? ['Secure'] : []),
  ];
}

function isAllowed(request: RequestLike, { doNotTrack = false, consent }: ClickCookieOptions): boolean {
  const isOptedOut = headerOf(request, 'dnt') === '1' || headerOf(request, 'sec-gpc') === '1';
  // callers in JavaScript may pass an async function, whose promise is no consent
  return !(doNotTrack && isOptedOut) && (consent === undefined || consent(request) === true);
}

function isHttps(request: RequestLike): boolean {
  return request.url?.startsWith('https:') === true || /^https\b/i.test(headerOf(request, 'x-forwarded-proto') ?? '');
}
