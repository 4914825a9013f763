import { headerOf, type RequestLike } from '../client/click-id.ts';

/**
 * The domain of a cookie for this request: the configured one, or null on a host outside it (`localhost`, a preview), where
 * browsers would refuse the cookie.
 */
export function cookieDomain(request: RequestLike, domain: string | undefined): string | null {
  return domain && isWithin(hostOf(request), domain) ? domain : null;
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
