const PROFILE_MEMBERS = ['customerEmail', 'customerName', 'customerAvatar'];

/** The service ignores what is longer. */
const PROFILE_CHARACTERS_MAX = 2_048;

/**
 * The JSON of a lead, sale or refund, without parts of the customer's profile that the service would ignore: with a picture in
 * a data URL, the body would be too large, and the lead or sale refused.
 */
export function reportBody(input: object): string {
  const isKept = ([name, value]: [string, unknown]) =>
    !PROFILE_MEMBERS.includes(name) || typeof value !== 'string' || isShort(value);
  return JSON.stringify(Object.fromEntries(Object.entries(input).filter(isKept)));
}

/** The service counts code points, of which each has one or two units. */
function isShort(text: string): boolean {
  return text.length <= 2 * PROFILE_CHARACTERS_MAX && [...text].length <= PROFILE_CHARACTERS_MAX;
}
