/** First path segments that the service answers itself, does or may one day; no link may hide behind or in front of one. */
const RESERVED_KEYS: ReadonlySet<string> = new Set([
  'admin',
  'api',
  'app',
  'apple-touch-icon.png',
  'assets',
  'dashboard',
  'docs',
  'embed',
  'favicon.ico',
  'favicon.svg',
  'health',
  'index.html',
  'login',
  'logout',
  'manifest.json',
  'metrics',
  'openapi.json',
  'openapi.yaml',
  'portal',
  'robots.txt',
  'script.js',
  'setup',
  'sitemap.xml',
  'static',
  'webhooks',
]);

/** Compared without case, because some proxies route without it. */
export function isReservedKey(key: string): boolean {
  return RESERVED_KEYS.has(key.toLowerCase());
}
