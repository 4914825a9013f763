/**
 * Why single sign-on failed, as the sign-in page is told, which says what to do:
 * `provider_unavailable` it did not answer; `settings` it refused this service's client; `denied` the person or the provider
 * said no; `expired` the attempt is too old, was used, or was begun in another browser; `invalid` what the provider sent is
 * not for this attempt; `clock` its token is not valid at this time; `email_unverified`; `not_invited` no operator has this
 * address; `linked_to_another` the operator with this address is another person at the provider.
 */
export type SignInProblem =
  | 'provider_unavailable'
  | 'settings'
  | 'denied'
  | 'expired'
  | 'invalid'
  | 'clock'
  | 'email_unverified'
  | 'not_invited'
  | 'linked_to_another';
