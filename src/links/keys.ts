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

export const LINK_KEY_CHARACTERS_MAX = 100;

/** Nothing in it that a path or a query would read as its own. */
export const LINK_KEY = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;

/** Whether there may be a link with this key. */
export function isLinkKey(key: string): boolean {
  return key.length <= LINK_KEY_CHARACTERS_MAX && LINK_KEY.test(key) && !isReservedKey(key);
}
