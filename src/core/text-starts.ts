/** Texts from `from` (included) to `to` (excluded) in the order of code points. */
export interface TextRange {
  from: string;
  to: string;
}

/** The most ranges of one search, so that one SQL text serves every search. */
export const RANGES_MAX = 12;

const LAST_CODE_POINT = 0x10ffff;
const AFTER_ALL = String.fromCodePoint(LAST_CODE_POINT).repeat(1_000);
/** Of all planes, only the first two have letters in upper and lower case. */
const LAST_CASED = 0x1ffff;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** A character, and its upper case, which may be several characters: ß is SS. */
interface Cased {
  character: string;
  upper: string;
}

/** By the first code unit of their upper case, the characters that are not upper case themselves. */
let lowerCases: ReadonlyMap<string, Cased[]> | undefined;

/**
 * Ranges of texts whose ASCII letters are lower case. Together they contain each text that begins with `search` in
 * upper or lower case, and perhaps others: a search with many letters that have several lower cases is cut. At most
 * `RANGES_MAX`, which do not overlap.
 */
export function rangesOfStart(search: string): TextRange[] {
  const upper = search.toUpperCase();
  let starts = [{ start: '', rest: upper }];
  while (starts.some(({ rest }) => rest !== '')) {
    const longer = starts.flatMap((one) => (one.rest === '' ? [one] : continuationsOf(one)));
    const distinct = [...new Map(longer.map((one) => [`${one.start} ${one.rest.length}`, one])).values()];
    if (distinct.length > RANGES_MAX) break;
    starts = distinct;
  }
  return [...new Set(starts.map(({ start }) => start))].map(rangeOfPrefix);
}

/** All texts that begin with this prefix. */
export function rangeOfPrefix(prefix: string): TextRange {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code === LAST_CODE_POINT) continue;
    const next = code + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : code + 1;
    return { from: prefix, to: characters.join('') + String.fromCodePoint(next) };
  }
  // no text follows all of these; longer ones than this are not stored
  return { from: prefix, to: AFTER_ALL };
}

/** One more character that may stand for the next ones of `rest`, which is upper case. */
function continuationsOf({ start, rest }: { start: string; rest: string }) {
  const [first = ''] = rest;
  const itself = first.toUpperCase() === first ? [{ character: first, upper: first }] : [];
  const others = charactersByUpperCase().get(rest.charAt(0)) ?? [];
  return [...itself, ...others]
    .filter(({ upper }) => rest.startsWith(upper) || upper.startsWith(rest))
    .map(({ character, upper }) => ({ start: start + lowerAscii(character), rest: rest.slice(upper.length) }));
}

function lowerAscii(character: string): string {
  return character >= 'A' && character <= 'Z' ? character.toLowerCase() : character;
}

/** Takes a few milliseconds the first time. */
function charactersByUpperCase(): ReadonlyMap<string, Cased[]> {
  if (lowerCases !== undefined) return lowerCases;
  const found = new Map<string, Cased[]>();
  for (let code = 0; code <= LAST_CASED; code += 1) {
    if (code === FIRST_SURROGATE) code = LAST_SURROGATE + 1;
    const character = String.fromCodePoint(code);
    const upper = character.toUpperCase();
    if (upper === character) continue;
    const known = found.get(upper.charAt(0));
    if (known === undefined) found.set(upper.charAt(0), [{ character, upper }]);
    else known.push({ character, upper });
  }
  lowerCases = found;
  return found;
}
