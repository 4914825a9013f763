/**
 * Also one that was encoded for a URL, or twice. Begins where a word does: a long text without an address, which anybody
 * may send, would else take seconds.
 */
const EMAIL_ADDRESS = /(?<![^\s"'<>(),;:])[^\s"'<>(),;:]+(?:@|%(?:25)*40)[^\s"'<>(),;:]+[^\s"'<>(),;:.]/g;

/**
 * Replaces each e-mail address of a text for the log, which is kept longer than an answer, and read by others.
 *
 * @param words what stands in its place
 */
export function withoutAddresses(text: string, words = '[e-mail address]'): string {
  return text.replaceAll(EMAIL_ADDRESS, () => words);
}
