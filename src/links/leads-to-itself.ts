import { parseHost } from '../schema/host-field.ts';
import type { Link } from './queries/links.ts';

/**
 * True when a link's destination is its own short link, however it is written. A browser would follow it until it gives
 * up, and each time would count as a click.
 */
export function leadsToItself({ domain, key, url }: Pick<Link, 'domain' | 'key' | 'url'>): boolean {
  const { host = '', pathname = '' } = URL.parse(url) ?? {};
  const [, segment] = /^\/([^/]+)\/?$/.exec(pathname) ?? [];
  return segment !== undefined && parseHost(host) === domain && decoded(segment) === key;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
