/**
 * What an API key may do. `track`: report conversions and create embed tokens, which is all a shop's backend needs.
 * `read`: every GET. `full`: everything.
 */
export const API_KEY_SCOPES = ['track', 'read', 'full'] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];
