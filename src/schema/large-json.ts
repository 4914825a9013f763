/** The densest bodies of processors have 20 bytes for each value, so that 2 MiB of them hold 105,000. */
export const VALUES_MAX = 120_000;
/** As many as the entries of a list that are read. Metadata has at most 50 members. */
export const MEMBERS_MAX = 1_000;
/** Processors nest at most a dozen. */
export const LEVELS_MAX = 100;

/** How much a JSON text may have of what takes long to parse, to check and to collect as garbage. */
interface Limits {
  values: number;
  members: number;
  levels: number;
}

const LARGE_JSON_LIMITS: Limits = { values: VALUES_MAX, members: MEMBERS_MAX, levels: LEVELS_MAX };
/**
 * Of a text of at most 64 KiB, which could have 30,000 of each: thirty thousand problems take 50 ms to find, and as many
 * levels 15 ms. Metadata of 10,000 characters may have 5,000 values or 1,600 members, and a file 5,000 payouts.
 */
export const SMALL_JSON_LIMITS: Limits = { values: 6_000, members: 2_000, levels: 2_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Why a JSON text would take too long to parse; null when it would not. Parsing 2 MiB takes 10 ms if they are what people
 * and processors send, but 200 ms if they are a million brackets. Looks at the structure only, so that it takes less time
 * than parsing; a text that is not JSON is left to the parser.
 */
export function findExcess(json: Uint8Array, { values, members, levels } = LARGE_JSON_LIMITS): string | null {
  let valueCount = 1;
  // of the innermost object, and of those around it
  let memberCount = 0;
  const outerCounts: number[] = [];
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case COMMA:
        valueCount += 1;
        break;
      case COLON:
        memberCount += 1;
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        valueCount += 1;
        outerCounts.push(memberCount);
        memberCount = 0;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        memberCount = outerCounts.pop() ?? 0;
        break;
      default:
        continue;
    }
    if (memberCount > members) return `has an object with more than ${members} members`;
    if (outerCounts.length > levels) return `has more than ${levels} levels of nesting`;
    if (valueCount > values) return `has more than ${values} values`;
  }
  return null;
}

/** The place of the quote that ends the string; beyond the text without one. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
