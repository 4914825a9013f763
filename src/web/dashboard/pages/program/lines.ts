/** The words of a text that has one word per line. */
export function linesOf(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}
