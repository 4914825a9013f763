/** How this service is known to the OpenID provider where its operators sign in. */
export interface OpenIdSettings {
  /** The provider describes itself at `/.well-known/openid-configuration` below this URL. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}
