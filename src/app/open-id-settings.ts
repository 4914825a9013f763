/** How this service is known to the OpenID provider that its operators sign in at. */
export interface OpenIdSettings {
  /** Below which the provider describes itself, at `/.well-known/openid-configuration`. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}
