export const PATH_OF_METRICS = '/metrics';

/**
 * The URL with each run of slashes in its path replaced by one: clients, and people who share links, join paths to a base
 * that ends in a slash. The path of the metrics stays as sent, because a proxy that keeps strangers from them may compare it.
 */
export function withoutDoubledSlashes(url: string): string {
  const path = /^[^?#]*/.exec(url)?.[0] ?? '';
  const single = path.replaceAll(/\/{2,}/g, '/');
  return (single === PATH_OF_METRICS ? path : single) + url.slice(path.length);
}
