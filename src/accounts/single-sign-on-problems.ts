/**
 * Why single sign-on failed. The sign-in page receives this value and explains what to do:
 * `provider_unavailable` the provider did not answer; `settings` it cannot be used with these settings; `denied` the person
 * or the provider declined; `expired` the attempt is too old, was used, or was started in another browser; `invalid`
 * the provider's response does not belong to this attempt; `clock` the provider's token is not valid at this time;
 * `email_missing` the provider sent no e-mail address; `email_unverified` it did not say that the address is verified;
 * `not_invited` no operator has this address; `not_confirmed` an operator has set it for themselves, and no owner has
 * confirmed it; `linked_to_another` the operator with this address is linked to another person at the provider.
 */
export type SignInProblem =
  | 'provider_unavailable'
  | 'settings'
  | 'denied'
  | 'expired'
  | 'invalid'
  | 'clock'
  | 'email_missing'
  | 'email_unverified'
  | 'not_invited'
  | 'not_confirmed'
  | 'linked_to_another';
