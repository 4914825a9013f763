/** The words of a text, one of which is on each line. */
export function linesOf(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}
