import type { Operations } from '../../client/api-types.ts';

export type Config = Operations['getPortalConfig']['answer'];

/** What the server puts into the page (see `src/http/portal-page.ts`); empty for the page without a frame. */
export interface Start {
  config?: Config;
  /** How long the token is valid. */
  expiresInMs?: number;
  /** Answers by the last segment of their path. */
  parts?: Record<string, unknown>;
  error?: { code: string; message: string };
}

/** The settings in the address of the page. */
export interface Settings {
  token: string | null;
  /** The one-time code of a portal link. */
  code: string | null;
  language: string | null;
  theme: 'light' | 'dark' | 'system';
  /** Theme properties by name, unchecked. */
  cssVars: Record<string, unknown>;
  themeOptions: Record<string, unknown>;
  dynamicHeight: boolean;
}

/** Reads the address and removes everything from it that opens the portal, so that nobody can copy it from there. */
export function takeSettings(): Settings {
  const { searchParams, hash, pathname } = new URL(location.href);
  const theme = searchParams.get('theme');
  const settings: Settings = {
    token: searchParams.get('token'),
    code: new URLSearchParams(hash.slice(1)).get('code'),
    language: searchParams.get('lang'),
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    cssVars: objectIn(searchParams.get('cssVars')),
    themeOptions: objectIn(searchParams.get('themeOptions')),
    dynamicHeight: searchParams.get('dynamicHeight') !== 'false',
  };
  searchParams.delete('token');
  const rest = searchParams.size === 0 ? '' : `?${searchParams}`;
  // one slash: a path that starts with two would name a host
  history.replaceState(null, '', `${pathname.replace(/^\/+/, '/')}${rest}`);
  return settings;
}

/** What the server put into the page. */
export function readStart(): Start {
  return objectIn(document.getElementById('start')?.textContent ?? null) as Start;
}

function objectIn(json: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json ?? '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
