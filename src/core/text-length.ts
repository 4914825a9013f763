/**
 * True for a text of more than `charactersMax` characters, counted as the API counts them: by code point, so that an id
 * which the API accepts is also found in a webhook.
 */
export function isLongerThan(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return false;
  // a character has at most two units
  return text.length > 2 * charactersMax || [...text].length > charactersMax;
}
