import type { OpenIdSettings } from '../app/open-id-settings.ts';

const VARIABLES = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

type Variable = (typeof VARIABLES)[number];

export const ISSUER_TEXT =
  'must be the https address of the OpenID provider, without /.well-known, query or fragment; http only on this machine';

/** A problem for each variable that is missing while another one is set. */
export function missingForSingleSignOn(variables: Readonly<Record<string, unknown>>) {
  const missing = VARIABLES.filter((name) => variables[name] === undefined);
  if (missing.length === VARIABLES.length) return [];
  const message = `is missing: single sign-on needs ${VARIABLES.join(', ')}; set all three, or none`;
  return missing.map((name) => ({ name, message }));
}

/** The settings, once `missingForSingleSignOn` found nothing; null without any. */
export function singleSignOnOf(read: { [Name in Variable]?: string | undefined }): OpenIdSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = read;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return { issuer, clientId, clientSecret };
}

/** An issuer as given, because some end in a slash and others do not; null for one that cannot be trusted. */
export function readIssuer(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return null;
  if (url.pathname.includes('/.well-known')) return null;
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback) ? text : null;
}
