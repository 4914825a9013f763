/** How discount codes are written in one text. */
interface CodeListStyle {
  glue: string;
  /** Part of a character class. */
  separators: string;
}

/** In a cell of a file. */
export const CODES_IN_FILES: CodeListStyle = { glue: ' ', separators: ';,|\\s' };

/** In a form, where people type codes with blanks. */
export const CODES_IN_FORMS: CodeListStyle = { glue: ', ', separators: ',' };

/** `ANA10 "SUMMER SALE"`: a code that could be taken for several, or for a quoted one, is quoted, with its quotes doubled. */
export function joinCodes(codes: readonly string[], { glue, separators }: CodeListStyle): string {
  const isUnclear = new RegExp(`[${separators}]|^"`);
  return codes.map((code) => (isUnclear.test(code) ? `"${code.replaceAll('"', '""')}"` : code)).join(glue);
}

/** The inverse of `joinCodes`; also takes what people write, such as a quote inside a code. Takes time linear in the text. */
export function splitCodes(text: string, { separators }: CodeListStyle): string[] {
  // the blanks before a quote, where they are no separators
  const code = new RegExp(`[^\\S${separators}]*"((?:[^"]|"")+)"|[^${separators}]+`, 'g');
  const codes = [...text.matchAll(code)].map(([plain, quoted]) => quoted?.replaceAll('""', '"') ?? plain.trim());
  return codes.filter((found) => found !== '');
}
