/** What to do about each problem, most of them of single sign-on; the address contains the name of one, and can show no other text. */
const WORDS: Readonly<Record<string, string>> = {
  provider_unavailable:
    'The single sign-on provider does not answer. Try again in a minute, or use a password or a sign-in address.',
  settings:
    'The single sign-on provider refused this service. Whoever runs it should compare OIDC_ISSUER, OIDC_CLIENT_ID and ' +
    'OIDC_CLIENT_SECRET, and run `refbridge doctor`; the log has the reason.',
  denied: 'The single sign-on provider did not let you in. Ask its administrator for access to this application.',
  expired:
    'This attempt took too long, was used already, or began in another browser or at another address. Sign in again.',
  invalid:
    'What the single sign-on provider sent does not belong to this attempt. Sign in again; the log has the reason.',
  clock:
    "The provider's token is not valid at this time: its clock and this server's differ. Synchronize both, and sign in again.",
  email_missing:
    'The single sign-on provider did not send your e-mail address. Enter one in your profile there. If it has one, ask ' +
    'its administrator to allow this application the scope `email`.',
  email_unverified:
    'The single sign-on provider does not say that your e-mail address is verified. Verify it there, then sign in ' +
    'again. If it is verified, ask its administrator to send `email_verified` to this application.',
  not_invited:
    'Nobody with your e-mail address is invited here. Ask an owner to invite you with the address that you have at the ' +
    'single sign-on provider.',
  not_confirmed:
    'Your e-mail address was set here after an invitation, so an owner must confirm it: ask one to create a sign-in ' +
    'address for you under Settings → Operators, then sign in again.',
  not_kept:
    'You were signed in, but your browser did not keep the session. Open the dashboard at its https address, and allow ' +
    'cookies for it, then sign in again.',
  linked_to_another:
    'Your e-mail address is linked here to another person at the single sign-on provider. Ask an owner to remove that ' +
    'operator, and to invite you.',
};

/** The text for the problem in the query of the sign-in page; null without a known one. */
export function signInProblem(search: string): string | null {
  const problem = new URLSearchParams(search).get('problem') ?? '';
  return Object.hasOwn(WORDS, problem) ? (WORDS[problem] ?? null) : null;
}
