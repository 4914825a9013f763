/** Path segments that the service uses or may use in the future. A link with such a key would be shadowed. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set([
  'admin',
  'api',
  'app',
  'apple-touch-icon.png',
  'assets',
  'compat',
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

/** Case-insensitive, because some proxies route case-insensitively. */
export function isReservedKey(key: string): boolean {
  return RESERVED_KEYS.has(key.toLowerCase());
}

export const LINK_KEY_CHARACTERS_MAX = 100;

/** Contains no character that has a meaning in a path or a query. */
export const LINK_KEY = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;

/** True when a link may have this key. */
export function isLinkKey(key: string): boolean {
  return key.length <= LINK_KEY_CHARACTERS_MAX && LINK_KEY.test(key) && !isReservedKey(key);
}
