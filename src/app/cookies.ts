/**
 * `session`: of an operator. `portal`: of a partner who opened a portal link. `sign_in`: of attempts to sign in at
 * another site, which sends the browser back.
 */
export type CookieKind = 'session' | 'portal' | 'sign_in';

/** `Strict` keeps a cookie out of every request that another site causes, including the redirect back from that site. */
const SAME_SITE: Readonly<Record<CookieKind, string>> = { session: 'Strict', portal: 'Strict', sign_in: 'Lax' };

/**
 * The name of the cookie. `__Host-` makes browsers refuse it from a subdomain, and without `Secure`; a service on plain
 * http, such as `http://localhost:3000`, cannot use it.
 */
function cookieName(kind: CookieKind, baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-refbridge_${kind}` : `refbridge_${kind}`;
}

/** The value of `Set-Cookie`; a lifetime of 0 removes the cookie. */
export function cookieFor(kind: CookieKind, baseUrl: string, token: string, lifetimeMs: number): string {
  const attributes = ['Path=/', `Max-Age=${Math.floor(lifetimeMs / 1000)}`, 'HttpOnly', `SameSite=${SAME_SITE[kind]}`];
  if (isSecure(baseUrl)) attributes.push('Secure');
  return [`${cookieName(kind, baseUrl)}=${token}`, ...attributes].join('; ');
}

/** The value of `Set-Cookie` that removes the cookie. */
export function expiredCookie(kind: CookieKind, baseUrl: string): string {
  return cookieFor(kind, baseUrl, '', 0);
}

/** The token in the `Cookie` header; null without one. */
export function tokenInCookies(kind: CookieKind, baseUrl: string, cookies: string | undefined): string | null {
  const start = `${cookieName(kind, baseUrl)}=`;
  const found = cookies?.split(';').find((pair) => pair.trim().startsWith(start));
  return found?.trim().slice(start.length) || null;
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}
