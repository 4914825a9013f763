const PROFILE_MEMBERS = ['customerEmail', 'customerName', 'customerAvatar'];

/** The service ignores what is longer. */
const PROFILE_CHARACTERS_MAX = 2_048;

/**
 * The JSON of a lead, sale or refund, without parts of the customer's profile that the service would ignore: with a picture in
 * a data URL, the body would be too large, and the lead or sale refused.
 */
export function reportBody(input: object): string {
  const isKept = ([name, value]: [string, unknown]) =>
    !PROFILE_MEMBERS.includes(name) || typeof value !== 'string' || value.length <= PROFILE_CHARACTERS_MAX;
  return JSON.stringify(Object.fromEntries(Object.entries(input).filter(isKept)));
}
