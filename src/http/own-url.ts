/** First path segments that are never a link key. */
const OWN = /^\/+(?:api|compat|embed|webhooks)(?:\/|$|\?)/;

/**
 * The URL with each run of slashes in its path replaced by one, for the service's own routes: clients join paths to a
 * base that ends in a slash. Any other URL is unchanged, because it may be somebody's link.
 */
export function withoutDoubledSlashes(url: string): string {
  if (!url.includes('//') || !OWN.test(url)) return url;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  return path.replaceAll(/\/{2,}/g, '/') + (queryAt < 0 ? '' : url.slice(queryAt));
}
