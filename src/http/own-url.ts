/** First segments under which nothing is anybody's link key. */
const OWN = /^\/+(?:api|compat|embed|webhooks)(?:\/|$|\?)/;

/**
 * The URL with each run of slashes in its path as one, for the service's own routes: clients join a base that ends in one.
 * Anything else stays as it was sent, because it may be somebody's link.
 */
export function withoutDoubledSlashes(url: string): string {
  if (!url.includes('//') || !OWN.test(url)) return url;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  return path.replaceAll(/\/{2,}/g, '/') + (queryAt < 0 ? '' : url.slice(queryAt));
}
