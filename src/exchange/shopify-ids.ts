/**
 * The global id by which Shopify's webhooks name an object. Shopify's own exports and pages show only its number, and
 * spreadsheets keep long numbers behind an apostrophe. Null for anything else.
 */
export function shopifyIdOf(type: 'Customer' | 'Order', text: string): string | null {
  const prefix = `gid://shopify/${type}/`;
  if (text.startsWith(prefix)) return text;
  const [, number] = /^'?(\d+)$/.exec(text) ?? [];
  return number === undefined ? null : prefix + number;
}
