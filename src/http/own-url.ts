/**
 * The URL with each run of slashes in its path replaced by one: clients, and people who share links, join paths to a base
 * that ends in a slash.
 */
export function withoutDoubledSlashes(url: string): string {
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  return path.replaceAll(/\/{2,}/g, '/') + (queryAt < 0 ? '' : url.slice(queryAt));
}
